// Log tokens of a team, which recorders use to send entries. A new token is shown once.

import type {
  GeneratedLogToken,
  GenerateLogTokenBody,
  LogTokenList,
  LogTokenRecord,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Badge } from '../../../show/badge.tsx'
import { FormDialog } from '../../../show/form-dialog.tsx'
import { TableCard } from '../../../show/list.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { MemberSelect, Owner } from './member-select.tsx'

export function LogTokensCard({
  team,
  members,
}: {
  readonly team: string
  readonly members: readonly Person[]
}) {
  const read = useRead(readOf<LogTokenList>('/log_token/list', { team_id: team }))
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<LogTokenRecord | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <TableCard
      title="Log tokens"
      action={
        <Button size="xs" variant="default" onClick={() => setMaking(true)}>
          New log token
        </Button>
      }
      read={read}
      rows={read.data?.log_tokens ?? []}
      what="The log tokens"
      height={38}
      lines={2}
      none="No log tokens yet. Recorders need one to send entries; claiming a seat creates it automatically."
      part="log-tokens"
      caption="Log tokens of the team"
      columns={[
        {
          id: 'token',
          head: 'Token',
          cell: ({ token_name }) => <code className="nowrap">{token_name}</code>,
        },
        {
          id: 'whose',
          head: 'Owner',
          cell: ({ member_id }) => <Owner members={members} memberId={member_id} most={32} />,
        },
        {
          id: 'state',
          head: 'State',
          cell: ({ revoked_at }) =>
            revoked_at === null ? <Badge tone="ok">active</Badge> : <Badge tone="plain">revoked</Badge>,
        },
      ]}
      actions={token =>
        token.revoked_at === null ? (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={`Revoke ${token.token_name}`}
            onClick={() => setRevoked(token)}
          >
            Revoke
          </Button>
        ) : null
      }
      idOf={({ token_id }) => token_id}
    >
      {isMaking ? (
        <NewToken
          team={team}
          members={members}
          onMade={value => {
            setMaking(false)
            setSecret(value)
          }}
          onClose={() => setMaking(false)}
        />
      ) : null}
      {revoked === null ? null : <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
      {secret === null ? null : (
        <SecretOnce title="New log token" secret={secret} onClose={() => setSecret(null)} />
      )}
    </TableCard>
  )
}

function NewToken({
  team,
  members,
  onMade,
  onClose,
}: {
  readonly team: string
  readonly members: readonly Person[]
  readonly onMade: (secret: string) => void
  readonly onClose: () => void
}) {
  const [member, setMember] = useState<string | null>(null)
  const make = useAction<GenerateLogTokenBody, GeneratedLogToken>({
    method: 'POST',
    path: '/log_token/generate',
  })
  return (
    <FormDialog
      title="New log token"
      verb="Create log token"
      action={make}
      onConfirm={() =>
        make.mutate(
          { team_id: team, ...(member === null ? {} : { member_id: member }) },
          { onSuccess: ({ token }) => onMade(token) },
        )
      }
      onClose={onClose}
    >
      <MemberSelect members={members} value={member} onChange={setMember} />
    </FormDialog>
  )
}

function RevokeToken({ token, onClose }: { readonly token: LogTokenRecord; readonly onClose: () => void }) {
  return (
    <ActionDialog
      title="Revoke log token"
      request={{ method: 'POST', path: '/log_token/revoke', body: { token_id: token.token_id } }}
      verb="Revoke log token"
      isDanger
      undo="This cannot be undone."
      describe={() => (
        <>
          <code className="strong">{token.token_name}</code> active → revoked
        </>
      )}
      onClose={onClose}
    >
      <p>
        The token stops working for good. Recorders that use it keep new entries on the laptop until they get
        another token. Entries already sent stay.
      </p>
    </ActionDialog>
  )
}

// The log tokens of a team: with them recorders send entries. A new one is shown once.

import type {
  GeneratedLogToken,
  GenerateLogTokenBody,
  LogTokenList,
  LogTokenRecord,
} from '@fairgate/contracts/management/log-tokens.ts'
import type { Person } from '@fairgate/contracts/management/people.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAct, useRead } from '../../../api/use-read.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
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
      none="No log token yet. Recorders need one to send; a claim makes it by itself."
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
          head: 'Whose',
          cell: ({ member_id }) => <Owner members={members} memberId={member_id} most={32} />,
        },
        {
          id: 'state',
          head: 'State',
          cell: ({ revoked_at }) =>
            revoked_at === null ? <Badge tone="ok">works</Badge> : <Badge tone="plain">revoked</Badge>,
        },
      ]}
      acts={token =>
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
        <SecretOnce title="The new log token" secret={secret} onClose={() => setSecret(null)} />
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
  const make = useAct<GenerateLogTokenBody, GeneratedLogToken>({
    method: 'POST',
    path: '/log_token/generate',
  })
  return (
    <FormDialog
      title="New log token"
      verb="Make the log token"
      act={make}
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
    <ActDialog
      title="Revoke a log token"
      request={{ method: 'POST', path: '/log_token/revoke', body: { token_id: token.token_id } }}
      verb="Revoke for good"
      isDanger
      undo="Nothing brings it back."
      describe={() => (
        <>
          <code className="strong">{token.token_name}</code> works → is revoked.
        </>
      )}
      onClose={onClose}
    >
      <p>
        The token stops for good. Recorders that send with it keep their entries on the laptop until they have
        another one. What was sent stays.
      </p>
    </ActDialog>
  )
}

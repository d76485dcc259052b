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
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MemberSelect } from './member-select.tsx'

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
    <Card
      isFlush
      title="Log tokens"
      action={
        <Button size="xs" variant="default" onClick={() => setMaking(true)}>
          New log token
        </Button>
      }
    >
      <Loaded read={read} what="The log tokens" height={38} lines={2}>
        {({ log_tokens }) =>
          log_tokens.length === 0 ? (
            <Empty>No log token yet. Recorders need one to send; a claim makes it by itself.</Empty>
          ) : (
            <div className="table-frame">
              <table className="table" data-part="log-tokens">
                <caption className="hidden-text">Log tokens of the team</caption>
                <thead>
                  <tr>
                    <th scope="col">Token</th>
                    <th scope="col">Whose</th>
                    <th scope="col">State</th>
                    <th scope="col">
                      <span className="hidden-text">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {log_tokens.map(token => (
                    <tr key={token.token_id}>
                      <td>
                        <code className="nowrap">{token.token_name}</code>
                      </td>
                      <td>
                        <Owner members={members} memberId={token.member_id} />
                      </td>
                      <td>
                        {token.revoked_at === null ? (
                          <Badge tone="ok">works</Badge>
                        ) : (
                          <Badge tone="plain">revoked</Badge>
                        )}
                      </td>
                      <td className="end">
                        {token.revoked_at === null ? (
                          <Button
                            size="compact-xs"
                            variant="subtle"
                            color="red"
                            aria-label={`Revoke ${token.token_name}`}
                            onClick={() => setRevoked(token)}
                          >
                            Revoke
                          </Button>
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
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
    </Card>
  )
}

function Owner({
  members,
  memberId,
}: {
  readonly members: readonly Person[]
  readonly memberId: string | undefined
}) {
  const owner = members.find(({ member_id }) => member_id === memberId)
  return owner === undefined ? (
    <span className="muted">the whole team</span>
  ) : (
    <ForeignText text={owner.name} most={32} />
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
    <ConfirmDialog
      title="New log token"
      verb="Make the log token"
      isPending={make.isPending}
      error={make.error}
      onConfirm={() =>
        make.mutate(
          { team_id: team, ...(member === null ? {} : { member_id: member }) },
          { onSuccess: ({ token }) => onMade(token) },
        )
      }
      onClose={onClose}
    >
      <MemberSelect members={members} value={member} onChange={setMember} />
    </ConfirmDialog>
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

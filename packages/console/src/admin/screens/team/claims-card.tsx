// The claim codes of a team: with one its members get their keys. A code is shown when it is made, and never again.

import type { ClaimList, ClaimRecord, MadeClaim, MadeClaims } from '@fairgate/contracts/management/claims.ts'
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { Moment } from '../../../show/moment.tsx'
import type { PlannedRequest } from '../../../show/send-planned.ts'
import { Empty, Loaded } from '../../../show/states.tsx'
import { addressOfQr, showCode } from '../handouts/show-claim.ts'
import { readWholeOrNone } from './read-fields.ts'

type Open = { readonly kind: 'new' } | { readonly kind: 'renew' | 'revoke'; readonly claim: ClaimRecord }

const tones: Readonly<Record<ClaimRecord['state'], BadgeTone>> = {
  works: 'ok',
  expired: 'warn',
  renewed: 'plain',
  revoked: 'plain',
}

export function ClaimsCard({ team }: { readonly team: string }) {
  const read = useRead(readOf<ClaimList>('/claims', { team_id: team, limit: 100 }))
  const [open, setOpen] = useState<Open | null>(null)
  const [made, setMade] = useState<MadeClaim | null>(null)
  const close = () => setOpen(null)
  return (
    <Card
      isFlush
      title="Claim codes"
      action={
        <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'new' })}>
          Make a code
        </Button>
      }
    >
      <Loaded read={read} what="The claim codes" height={38} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>No code works. With one, members get their own keys without waiting at your desk.</Empty>
          ) : (
            <div className="table-frame">
              <table className="table" data-part="claims">
                <caption className="hidden-text">Claim codes of the team</caption>
                <thead>
                  <tr>
                    <th scope="col">Code</th>
                    <th scope="col">Used</th>
                    <th scope="col">Ends</th>
                    <th scope="col">State</th>
                    <th scope="col">
                      <span className="hidden-text">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(claim => (
                    <tr key={claim.claim_id}>
                      <td>
                        <code>…{claim.code_name}</code>
                      </td>
                      <td className="nowrap">
                        {countOf(claim.uses, 'time')},{' '}
                        {countOf(claim.free_members + claim.seats_left, 'seat')} free
                      </td>
                      <td>
                        <Moment at={claim.expires_at} />
                      </td>
                      <td>
                        <Badge tone={tones[claim.state]}>{claim.state}</Badge>
                      </td>
                      <td className="end nowrap">
                        <Button
                          size="compact-xs"
                          variant="subtle"
                          aria-label={`Renew the code ${claim.code_name}`}
                          onClick={() => setOpen({ kind: 'renew', claim })}
                        >
                          Renew
                        </Button>
                        {claim.state === 'works' ? (
                          <Button
                            size="compact-xs"
                            variant="subtle"
                            color="red"
                            aria-label={`Revoke the code ${claim.code_name}`}
                            onClick={() => setOpen({ kind: 'revoke', claim })}
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
      {open === null ? null : open.kind === 'new' ? (
        <MakeCode
          title="Make a claim code"
          verb="Make the code"
          requestOf={fields => ({ method: 'POST', path: '/claims', body: { teams: [team], ...fields } })}
          onMade={reply => setMade((reply as MadeClaims).items[0] ?? null)}
          onClose={close}
        />
      ) : open.kind === 'renew' ? (
        <MakeCode
          title={`Put another code in the place of …${open.claim.code_name}`}
          verb="Renew the code"
          requestOf={fields => ({
            method: 'POST',
            path: `/claims/${encodeURIComponent(open.claim.claim_id)}/renew`,
            body: fields,
          })}
          onMade={reply => setMade(reply as MadeClaim)}
          onClose={close}
        />
      ) : (
        <ActDialog
          title={`Stop the code …${open.claim.code_name}`}
          request={{
            method: 'DELETE',
            path: `/claims/${encodeURIComponent(open.claim.claim_id)}`,
            body: {},
            isInQuery: true,
          }}
          verb="Stop the code"
          isDanger
          undo="A new code can be made at any time."
          onClose={close}
        >
          <p>The code and every line that was made with it stop. Keys and log tokens stay.</p>
        </ActDialog>
      )}
      {made === null ? null : <MadeCode claim={made} onClose={() => setMade(null)} />}
    </Card>
  )
}

type Fields = { readonly seats?: number; readonly duration?: string }

function MakeCode({
  title,
  verb,
  requestOf,
  onMade,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly requestOf: (fields: Fields) => PlannedRequest
  readonly onMade: (reply: unknown) => void
  readonly onClose: () => void
}) {
  const [seats, setSeats] = useState('')
  const [duration, setDuration] = useState('')
  const more = readWholeOrNone(seats)
  const isDurationWrong = duration.trim() !== '' && !/^\d{1,6}[smhdw]$/.test(duration.trim())
  const request = requestOf({
    ...(more === null || more === undefined ? {} : { seats: more }),
    ...(duration.trim() === '' ? {} : { duration: duration.trim() }),
  })
  return (
    <ActDialog
      title={title}
      request={more === undefined || isDurationWrong ? { ...request, body: null } : request}
      verb={verb}
      undo="Revoke stops the code."
      onDone={onMade}
      onClose={onClose}
    >
      <TextInput
        label="Seats for people who are not on the list"
        placeholder="none"
        value={seats}
        onChange={event => setSeats(event.currentTarget.value)}
        error={more === undefined ? 'Write a whole number.' : null}
        inputMode="numeric"
        autoComplete="off"
      />
      <TextInput
        label="Works for"
        description="Such as 12h or 3d; empty: seven days"
        value={duration}
        onChange={event => setDuration(event.currentTarget.value)}
        error={isDurationWrong ? 'Write a number and s, m, h, d or w, such as 3d.' : null}
        autoComplete="off"
      />
    </ActDialog>
  )
}

function MadeCode({ claim, onClose }: { readonly claim: MadeClaim; readonly onClose: () => void }) {
  return (
    <Dialog title="The claim code" size={480} onClose={onClose} isKept>
      <div className="stack">
        <p>It is shown this once. Who has it can join the team while a seat is free.</p>
        <div className="row wrap">
          <img className="claim-qr" src={addressOfQr(claim.qr_svg)} alt="The link as a QR code" />
          <div className="stack grow">
            <code className="claim-code" data-secret>
              {showCode(claim.code)}
            </code>
            <code className="secret">{claim.url}</code>
          </div>
        </div>
        <DialogButtons>
          <CopyButton text={claim.url} label="Copy the link" />
          <Button onClick={onClose}>I have saved it</Button>
        </DialogButtons>
      </div>
    </Dialog>
  )
}

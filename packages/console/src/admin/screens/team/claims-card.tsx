// Claim codes of a team, which members exchange for their keys. A code is shown only once, when it is created.

import type { ClaimList, ClaimRecord, MadeClaim, MadeClaims } from '@fairgate/contracts/management/claims.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MakeCodes } from '../handouts/make-codes.tsx'
import { addressOfQr, showCode } from '../handouts/show-claim.ts'

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
    <TableCard
      title="Claim codes"
      action={
        <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'new' })}>
          New code
        </Button>
      }
      read={read}
      rows={read.data?.items ?? []}
      what="The claim codes"
      height={38}
      lines={2}
      none="No active claim code. With a code, members get their own keys without asking you."
      part="claims"
      caption="Claim codes of the team"
      columns={columns}
      actions={claim => <ClaimActions claim={claim} onOpen={setOpen} />}
      idOf={({ claim_id }) => claim_id}
    >
      {open === null ? null : open.kind === 'new' ? (
        <MakeCodes
          title="New claim code"
          verb="Create code"
          {...words}
          path="/claims"
          body={{ teams: [team] }}
          onDone={reply => setMade((reply as MadeClaims).items[0] ?? null)}
          onClose={close}
        />
      ) : open.kind === 'renew' ? (
        <MakeCodes
          title={`Renew code …${open.claim.code_name}`}
          verb="Renew code"
          {...words}
          path={`/claims/${encodeURIComponent(open.claim.claim_id)}/renew`}
          body={{}}
          onDone={reply => setMade(reply as MadeClaim)}
          onClose={close}
        />
      ) : (
        <ActionDialog
          title={`Revoke code …${open.claim.code_name}`}
          request={{
            method: 'DELETE',
            path: `/claims/${encodeURIComponent(open.claim.claim_id)}`,
            body: {},
            isInQuery: true,
          }}
          verb="Revoke code"
          isDanger
          undo="You can create a new code at any time."
          onClose={close}
        >
          <p>The code and every setup command made with it stop working. Keys and log tokens keep working.</p>
        </ActionDialog>
      )}
      {made === null ? null : <MadeCode claim={made} onClose={() => setMade(null)} />}
    </TableCard>
  )
}

const words = { undo: 'Revoke stops the code.', durationLabel: 'Valid for' }

const columns: readonly Column<ClaimRecord>[] = [
  { id: 'code', head: 'Code', cell: ({ code_name }) => <code>…{code_name}</code> },
  {
    id: 'used',
    head: 'Used',
    cell: ({ uses, free_members, seats_left }) => (
      <span className="nowrap">
        {countOf(uses, 'time')}, {countOf(free_members + seats_left, 'seat')} free
      </span>
    ),
  },
  { id: 'ends', head: 'Expires', cell: ({ expires_at }) => <Moment at={expires_at} /> },
  { id: 'state', head: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
]

function ClaimActions({
  claim,
  onOpen,
}: {
  readonly claim: ClaimRecord
  readonly onOpen: (open: Open) => void
}) {
  return (
    <span className="nowrap">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Renew code ${claim.code_name}`}
        onClick={() => onOpen({ kind: 'renew', claim })}
      >
        Renew
      </Button>
      {claim.state === 'works' ? (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={`Revoke code ${claim.code_name}`}
          onClick={() => onOpen({ kind: 'revoke', claim })}
        >
          Revoke
        </Button>
      ) : null}
    </span>
  )
}

function MadeCode({ claim, onClose }: { readonly claim: MadeClaim; readonly onClose: () => void }) {
  return (
    <Dialog title="New claim code" size={480} onClose={onClose} isKept>
      <div className="stack">
        <p>
          Save this code now: it is shown only once. Anyone with it can join the team while a seat is free.
        </p>
        <div className="row wrap">
          <img className="claim-qr" src={addressOfQr(claim.qr_svg)} alt="QR code of the link" />
          <div className="stack grow">
            <code className="claim-code" data-secret>
              {showCode(claim.code)}
            </code>
            <code className="secret">{claim.url}</code>
          </div>
        </div>
        <DialogButtons>
          <CopyButton text={claim.url} label="Copy link" />
          <Button onClick={onClose}>I have saved it</Button>
        </DialogButtons>
      </div>
    </Dialog>
  )
}

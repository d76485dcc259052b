// Claim links of judges: their state, and the dialogs that make, replace and revoke them.
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgeItem } from '@fairgate/contracts/judging/panel.ts'
import { useState } from 'react'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readSpan } from '../team/read-fields.ts'

export type MadeLinks = JudgeCodesReply['items']

const states: Readonly<Record<JudgeItem['link']['state'], readonly [BadgeTone, string]>> = {
  none: ['plain', 'none'],
  works: ['ok', 'works'],
  expired: ['warn', 'expired'],
  revoked: ['plain', 'revoked'],
}

export function LinkState({ judge: { link } }: { readonly judge: JudgeItem }) {
  const [tone, word] = states[link.state]
  return (
    <span className="row nowrap">
      <Badge tone={tone}>{link.state === 'works' ? `…${link.code_name ?? ''}` : word}</Badge>
      {link.state === 'works' ? (
        <span className="muted small from-1280">
          until <Moment at={link.expires_at} />
        </span>
      ) : null}
    </span>
  )
}

/** `judge`: null for all judges without a working link. `onMade` gets the links, which are shown only once. */
export function NewLinksDialog({
  judge,
  onMade,
  onClose,
}: {
  readonly judge: JudgeItem | null
  readonly onMade: (made: MadeLinks) => void
  readonly onClose: () => void
}) {
  const [duration, setDuration] = useState('')
  const span = readSpan(duration)
  const replaces = judge?.link.state === 'works'
  const body = {
    judges: judge === null ? 'all' : [judge.judge_id],
    ...(typeof span === 'string' ? { duration: span } : {}),
  }
  return (
    <ActionDialog
      title={
        judge === null ? (
          'Make claim links'
        ) : (
          <>
            Claim link of <ForeignName name={judge.name} />
          </>
        )
      }
      request={{ method: 'POST', path: '/judging/codes', body: span === undefined ? null : body }}
      verb={replaces ? 'Replace the link' : judge === null ? 'Make the links' : 'Make the link'}
      asksReason={false}
      undo="You can revoke a link at any time."
      describe={({ subject, from }) => (
        <>
          <ForeignText text={subject} most={60} className="strong" />{' '}
          <span className="muted">
            {from === null ? 'gets a link' : 'gets a new link, and the old one stops working'}
          </span>
        </>
      )}
      onDone={reply => onMade((reply as JudgeCodesReply).items)}
      onClose={onClose}
    >
      <p className="muted small">
        {replaces
          ? 'The old link stops working, and the judge is signed out everywhere.'
          : 'A link opens the judge’s own page on as many devices as the judge has. It is shown once, here.'}
      </p>
      <TextField
        label="Links work for"
        description="Such as 12h or 3d. Leave empty for seven days."
        value={duration}
        onChange={setDuration}
        error={span === undefined ? 'Enter a number with s, m, h, d or w, such as 3d' : null}
      />
    </ActionDialog>
  )
}

export function RevokeLinkDialog({
  judge,
  onClose,
}: {
  readonly judge: JudgeItem
  readonly onClose: () => void
}) {
  return (
    <ActionDialog
      title="Revoke the claim link"
      request={{ method: 'DELETE', path: `/judging/codes/${encodeURIComponent(judge.judge_id)}`, body: {} }}
      verb="Revoke the link"
      isDanger
      undo="A new link can be made at any time."
      describe={() => (
        <>
          <ForeignName name={judge.name} /> is signed out everywhere. What was scored stays.
        </>
      )}
      onClose={onClose}
    />
  )
}

// Renders a conversation: prompts, answers, tool use, and the gateway's calls in their places.
import type { SessionEntry, SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { Button } from '@mantine/core'
import {
  Ban,
  Bot,
  ChevronRight,
  CircleDot,
  Clock,
  SquareTerminal,
  TriangleAlert,
  UserRound,
  Zap,
} from 'lucide-react'
import { type ReactNode, useContext, useState } from 'react'
import { formatCount } from '../format/number.ts'
import { formatDuration } from '../format/time.ts'
import { Badge } from '../show/badge.tsx'
import { EntryMoment } from '../show/entry-moment.tsx'
import { ForeignId, ForeignText } from '../show/foreign.tsx'
import { Moment } from '../show/moment.tsx'
import { Cost } from '../show/money.tsx'
import { PageLink } from '../show/page-link.tsx'
import { PartError } from '../show/states.tsx'
import type { SessionRow } from './arrange-items.ts'
import { FoldedCode, FoldedDiff, FoldedProse, UnfoldedContext } from './folded.tsx'
import { type ReadEntry, readEntry, type ToolUse } from './read-entry.ts'
import { useSessionSource } from './session-source.tsx'
import { useStoredEntry } from './stored-entry.tsx'

type Names = ReadonlyMap<string, string>

export function ConversationRow({
  row,
  team,
  names,
  activeSeq,
}: {
  readonly row: SessionRow
  readonly team: string
  /** Names of members by id. */
  readonly names: Names
  readonly activeSeq: number | null
}) {
  if (row.kind === 'gap')
    return (
      <li className="talk-gap">
        <Clock size={13} aria-hidden />
        {formatDuration(row.ms)}
        {row.during === null ? '' : `, ${row.during}`}
      </li>
    )
  if (row.kind === 'no-call') return <li className="talk-no-call">No gateway call found for this answer</li>
  const { call, entry } = row.item
  if (call !== null) return <CallStrip call={call} team={team} />
  return entry === null || row.read === null ? null : (
    <EntryItem entry={entry} read={row.read} team={team} names={names} isActive={entry.seq === activeSeq} />
  )
}

function CallStrip({
  call,
  team,
}: {
  readonly call: NonNullable<SessionItem['call']>
  readonly team: string
}) {
  const isBad = call.outcome === 'refused' || call.outcome === 'failed'
  const units = Object.entries(call.units).filter(([, count]) => count > 0)
  const { callsHref } = useSessionSource()
  const model = <ForeignId text={call.model ?? call.endpoint} most={60} />
  return (
    <li className="talk-call" data-bad={isBad} data-call={call.call_id}>
      {isBad ? <Ban size={14} aria-hidden /> : <Zap size={14} aria-hidden />}
      {callsHref === null ? (
        <span className="talk-call-model">{model}</span>
      ) : (
        <PageLink href={callsHref({ team, call: call.call_id })} className="talk-call-model">
          {model}
        </PageLink>
      )}
      <span className="muted grow">
        {isBad ? (
          <>
            <span className="strong tone-bad">{call.outcome}</span> <ForeignId text={call.code ?? ''} />
            {call.count > 1 ? ` × ${formatCount(call.count)}` : ''}
          </>
        ) : (
          units.map(([unit, count]) => `${formatCount(count)}\u00a0${nameUnit(unit)}`).join(', ')
        )}
        {call.class === null && !isBad ? (
          <span className="faint"> · not matched with the log yet</span>
        ) : null}
        {call.class === 'probable' || call.class === 'ambiguous' ? (
          <span className="faint">
            {' '}
            · {call.class === 'probable' ? 'matched by time only' : 'fits multiple sessions'}
          </span>
        ) : null}
      </span>
      <span className="faint nowrap">{formatDuration(call.duration_ms)}</span>
      <Cost nano={call.cost_nano} isStrong />
    </li>
  )
}

const unitNames: Readonly<Record<string, string>> = {
  inputText: 'in',
  cachedInput: 'cached',
  cacheWrite5m: 'cached for 5 min',
  cacheWrite1h: 'cached for 1 h',
  outputText: 'out',
  reasoning: 'reasoning',
}

function nameUnit(unit: string): string {
  return unitNames[unit] ?? unit
}

function EntryItem({
  entry,
  read,
  team,
  names,
  isActive,
}: {
  readonly entry: SessionEntry
  readonly read: ReadEntry
  readonly team: string
  readonly names: Names
  readonly isActive: boolean
}) {
  const members = entry.entry as Readonly<Record<string, unknown>>
  const { entryHref, renderEntryTools } = useSessionSource()
  const isSub = typeof members.parent_session_id === 'string' || members.is_subagent === true
  return (
    <li
      id={`e${entry.seq}`}
      className="talk-entry"
      data-kind={read.kind}
      data-active={isActive}
      data-sub={isSub}
      data-prompt={read.kind === 'prompt' && !read.isAutomatic ? entry.seq : undefined}
      tabIndex={-1}
    >
      <span className="talk-icon" aria-hidden>
        {isAutomatic(read) ? icons.event : icons[read.kind]}
      </span>
      <div className="talk-body">
        <div className="row-between">
          <span className="row wrap">
            <span className="strong">
              <WhoSpeaks entry={entry} read={read} names={names} tool={members.tool} />
            </span>
            {entry.event === null ? null : (
              <span className="faint small">
                <ForeignText text={entry.event} most={60} />
                {read.kind === 'answer' && read.stop !== null ? (
                  <>
                    {' · '}
                    <ForeignText text={read.stop} most={40} />
                  </>
                ) : null}
              </span>
            )}
            {isAutomatic(read) ? <Badge>automatic</Badge> : null}
            {read.kind === 'tool' && read.isFailed ? (
              <Badge tone="bad">{read.exitCode === null ? 'failed' : `exit ${read.exitCode}`}</Badge>
            ) : null}
          </span>
          <span className="row nowrap small">
            {entry.is_late ? (
              <span className="row tone-warn" data-late>
                <TriangleAlert size={13} aria-hidden /> late, received{' '}
                <Moment at={entry.received_at} as="clock" />
              </span>
            ) : (
              <SentAtPush entry={entry} />
            )}
            <PageLink href={entryHref(team, entry.seq)} className="faint mono">
              <span className="hidden-text">Entry {entry.seq} as stored, </span>
              <EntryMoment times={entry} as="clock" />
            </PageLink>
            {renderEntryTools?.(team, entry.seq)}
          </span>
        </div>
        <EntryContent entry={entry} read={read} team={team} />
      </div>
    </li>
  )
}

/** From here on it is worth saying that a recorder has waited for a push. */
const waitedMs = 600_000

function SentAtPush({ entry: { ts, received_at: receivedAt } }: { readonly entry: SessionEntry }) {
  const ms = Date.parse(receivedAt) - Date.parse(ts)
  if (ms < waitedMs) return null
  return (
    <span className="faint" data-sent-at-push>
      sent at push, {formatDuration(ms)} later
    </span>
  )
}

const icons: Readonly<Record<ReadEntry['kind'], ReactNode>> = {
  prompt: <UserRound size={16} />,
  answer: <Bot size={16} />,
  tool: <SquareTerminal size={16} />,
  event: <CircleDot size={14} />,
}

function isAutomatic(read: ReadEntry): boolean {
  return read.kind === 'prompt' && read.isAutomatic
}

function WhoSpeaks({
  entry,
  read,
  names,
  tool,
}: {
  readonly entry: SessionEntry
  readonly read: ReadEntry
  readonly names: Names
  readonly tool: unknown
}) {
  if (read.kind === 'tool') return <ForeignText text={read.name} most={60} />
  const toolName = typeof tool === 'string' && tool !== '' ? tool : 'Tool'
  if (read.kind !== 'prompt' || read.isAutomatic) return <ForeignText text={toolName} most={40} />
  const { student } = entry.entry as Readonly<Record<string, unknown>>
  const name = names.get(entry.member_id ?? '') ?? (typeof student === 'string' ? student : 'Prompt')
  return <ForeignText text={name} most={60} />
}

/** A truncated entry is loaded in full on request. */
function EntryContent({
  entry,
  read,
  team,
}: {
  readonly entry: SessionEntry
  readonly read: ReadEntry
  readonly team: string
}) {
  const [isWhole, setWhole] = useState(false)
  const stored = useStoredEntry(team, entry.seq, !isWhole)
  const shown = stored.data === undefined ? read : readEntry(stored.data.facts.entry)
  return (
    <>
      <Content read={shown} />
      {entry.more && stored.data === undefined ? (
        <Button
          data-whole
          variant="subtle"
          size="compact-xs"
          loading={stored.isFetching}
          onClick={() => setWhole(true)}
        >
          Truncated. Show the full entry
        </Button>
      ) : null}
      {stored.error === null ? null : (
        <PartError what="The full entry" failure={stored.error} retry={() => void stored.refetch()} />
      )}
    </>
  )
}

function Content({ read }: { readonly read: ReadEntry }) {
  if (read.kind === 'tool') return <ToolContent tool={read} />
  if (read.kind === 'event') return read.text === null ? null : <FoldedProse text={read.text} />
  return <FoldedProse text={read.text} />
}

function ToolContent({ tool }: { readonly tool: ToolUse }) {
  const isAllUnfolded = useContext(UnfoldedContext)
  // Failures and edits start open; other tool use starts folded.
  const [isOpen, setOpen] = useState(tool.isFailed || tool.diff !== null)
  const hasMore = tool.body !== null || tool.diff !== null
  const isShown = isOpen || isAllUnfolded
  const line = <ForeignId className="cut" text={tool.ask === '' ? tool.name : tool.ask} most={200} />
  return (
    <>
      {hasMore ? (
        <button
          type="button"
          data-fold
          className="talk-tool"
          aria-expanded={isShown}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} aria-hidden />
          {line}
          {tool.body === null ? null : (
            <span className="faint small nowrap">{formatCount(tool.body.split('\n').length)} lines</span>
          )}
        </button>
      ) : (
        <div className="talk-tool">{line}</div>
      )}
      {isShown && tool.diff !== null ? <FoldedDiff lines={tool.diff} /> : null}
      {isShown && tool.body !== null && (tool.diff === null || tool.isFailed || isAllUnfolded) ? (
        <FoldedCode text={tool.body} />
      ) : null}
    </>
  )
}

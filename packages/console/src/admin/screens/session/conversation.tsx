// The items of a session, one under the other, in the order of their times.

import type { SessionItem, StoredEntry } from '@fairgate/contracts/console/session-view.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Bot, Terminal, User } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatCost } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { Badge } from '../../../show/badge.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignBlock, ForeignCode, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded } from '../../../show/states.tsx'
import { idOf, useMarked } from './item-place.ts'
import { gapBefore, type ReadItem, readItem } from './read-item.ts'

export function Conversation({
  team,
  rows,
  isRaw,
  marked,
  earlier,
  later,
}: {
  readonly team: string
  readonly rows: readonly SessionItem[]
  readonly isRaw: boolean
  /** Number of the entry that the address names. */
  readonly marked: number | null
  readonly earlier: (() => void) | null
  readonly later: (() => void) | null
}) {
  useMarked(marked === null ? null : `${team}#${marked}`)
  return (
    <>
      {earlier === null ? null : (
        <Button variant="default" fullWidth mb={12} onClick={earlier}>
          Earlier
        </Button>
      )}
      <ol className="conversation">
        {rows.map((item, index) => (
          <Item
            key={item.ref}
            team={team}
            item={item}
            before={rows[index - 1]}
            isRaw={isRaw}
            isMarked={item.entry !== null && item.entry.seq === marked}
          />
        ))}
      </ol>
      {later === null ? null : (
        <Button variant="default" fullWidth mt={12} onClick={later}>
          Later
        </Button>
      )}
    </>
  )
}

function Item({
  team,
  item,
  before,
  isRaw,
  isMarked,
}: {
  readonly team: string
  readonly item: SessionItem
  readonly before: SessionItem | undefined
  readonly isRaw: boolean
  readonly isMarked: boolean
}) {
  const read = readItem(item)
  const gap = gapBefore(item, before)
  if (read === null) return null
  return (
    <>
      {gap === null ? null : <li className="gap">── {formatDuration(gap)} without an entry or call ──</li>}
      <li id={idOf(item.ref)} tabIndex={-1} className={`item item-${read.kind}`} data-marked={isMarked}>
        {read.kind === 'call' ? (
          <CallStrip call={read.call} isRefused={read.isRefused} />
        ) : (
          <>
            <ItemHead read={read} team={team} />
            {isRaw ? (
              <ForeignCode text={JSON.stringify(read.entry.entry, null, 2)} most={20_000} />
            ) : (
              <Body read={read} team={team} />
            )}
          </>
        )}
      </li>
    </>
  )
}

type EntryItem = Exclude<ReadItem, { readonly kind: 'call' }>

function ItemHead({ read, team }: { readonly read: EntryItem; readonly team: string }) {
  const { entry } = read
  const members = entry.entry as Readonly<Record<string, unknown>>
  return (
    <div className="row-between small muted">
      <span className="row wrap">
        {read.kind === 'prompt' ? (
          <User size={14} aria-hidden />
        ) : read.kind === 'tool' ? (
          <Terminal size={14} aria-hidden />
        ) : (
          <Bot size={14} aria-hidden />
        )}
        <span className="strong">
          <ForeignText
            text={read.kind === 'prompt' ? String(members.student ?? 'prompt') : String(members.tool ?? '')}
            most={60}
          />
        </span>
        <ForeignText text={entry.event ?? ''} most={40} />
        {read.kind === 'answer' && read.stopReason !== null ? (
          <ForeignText text={`· ${read.stopReason}`} most={40} />
        ) : null}
        {entry.is_late ? (
          <Badge tone="warn">
            arrived <Moment at={entry.received_at} />
          </Badge>
        ) : null}
      </span>
      <span className="row">
        <Link to="/console/entries/$team/$seq" params={{ team, seq: String(entry.seq) }} className="faint">
          #{entry.seq}
        </Link>
        <span className="mono">
          <Moment at={entry.ts} as="clock" />
        </span>
      </span>
    </div>
  )
}

function Body({ read, team }: { readonly read: EntryItem; readonly team: string }) {
  if (read.kind === 'prompt' || read.kind === 'answer')
    return (
      <div className="said">
        <ForeignBlock text={read.text} />
        {read.entry.more ? (
          <More
            team={team}
            seq={read.entry.seq}
            member={read.kind === 'prompt' ? 'prompt' : 'response_summary'}
          />
        ) : null}
      </div>
    )
  if (read.kind === 'tool') return <ToolBody read={read} team={team} />
  return read.text === '' ? null : (
    <div className="muted">
      <ForeignText text={read.text} />
    </div>
  )
}

function ToolBody({
  read,
  team,
}: {
  readonly read: Extract<ReadItem, { readonly kind: 'tool' }>
  readonly team: string
}) {
  const [isOpen, setOpen] = useState(read.isOpen)
  const { name, gist, input, output, error, entry } = read
  return (
    <div className="tool" data-failed={read.isOpen}>
      <button type="button" className="tool-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? '▾' : '▸'}</span>
        <span className="strong">
          <ForeignText text={name} most={60} />
        </span>
        <code className="cut grow">
          <ForeignText text={gist} most={160} />
        </code>
        {read.isOpen ? <Badge tone="bad">failed</Badge> : null}
      </button>
      {isOpen ? (
        <div className="stack tool-body">
          {input === null ? null : <Part title="Input" text={input} />}
          {error === null ? null : <Part title="Error" text={error} />}
          {output === null ? null : <Part title="Output" text={output} />}
          {entry.more ? <More team={team} seq={entry.seq} member={null} /> : null}
        </div>
      ) : null}
    </div>
  )
}

const foldedLines = 12

function Part({ title, text }: { readonly title: string; readonly text: string }) {
  const lines = text.split('\n')
  const [isWhole, setWhole] = useState(lines.length <= foldedLines)
  return (
    <section>
      <div className="row-between small muted">
        <span>
          {title}
          {isWhole ? '' : `, ${foldedLines} of ${formatCount(lines.length)} lines`}
        </span>
        <span className="row">
          {isWhole ? null : (
            <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
              Show all
            </Button>
          )}
          <CopyButton text={text} isIcon />
        </span>
      </div>
      <ForeignCode text={isWhole ? text : lines.slice(0, foldedLines).join('\n')} />
    </section>
  )
}

/** An entry of more than 4 kB is cut in a list: the whole is read when somebody asks for it. */
function More({
  team,
  seq,
  member,
}: {
  readonly team: string
  readonly seq: number
  readonly member: string | null
}) {
  const [isAsked, setAsked] = useState(false)
  const whole = useRead(readOf<StoredEntry>(`/entries/${encodeURIComponent(team)}/${seq}`), {
    isOff: !isAsked,
  })
  if (!isAsked)
    return (
      <Button variant="subtle" size="compact-xs" onClick={() => setAsked(true)}>
        It is longer: read the whole entry
      </Button>
    )
  return (
    <Loaded read={whole} what="The entry" height={80}>
      {({ entry }) => {
        const value = member === null ? entry : (entry as Readonly<Record<string, unknown>>)[member]
        return typeof value === 'string' ? (
          <ForeignBlock text={value} most={200_000} />
        ) : (
          <ForeignCode text={JSON.stringify(value, null, 2)} most={200_000} />
        )
      }}
    </Loaded>
  )
}

function CallStrip({
  call,
  isRefused,
}: {
  readonly call: NonNullable<SessionItem['call']>
  readonly isRefused: boolean
}) {
  const { call_id, model, units, cost_nano, duration_ms, received_at, code, explanation, count } = call
  const input = (units.inputText ?? 0) + (units.cachedInput ?? 0)
  return (
    <Link to="/console/calls" search={{ call: call_id }} className="strip" data-refused={isRefused}>
      <code className="cut">
        <ForeignText text={model ?? call.endpoint} most={40} />
      </code>
      <span className="grow cut small">
        {isRefused ? (
          <ForeignText
            text={`${code ?? 'refused'}${count > 1 ? ` × ${count}` : ''}: ${explanation ?? ''}`}
            most={160}
          />
        ) : input === 0 ? (
          ''
        ) : (
          `${formatCount(input)} in, ${formatCount((units.outputText ?? 0) + (units.reasoning ?? 0))} out`
        )}
      </span>
      <span className="small nowrap from-600">{isRefused ? '' : formatDuration(duration_ms)}</span>
      <span className="strong nowrap">{isRefused ? 'not charged' : formatCost(cost_nano)}</span>
      <span className="mono faint nowrap">
        <Moment at={received_at} as="clock" />
      </span>
    </Link>
  )
}

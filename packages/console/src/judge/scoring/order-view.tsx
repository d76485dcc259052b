// The order of the judge's finished teams: filled from the scores, changed by dragging, buttons or keys, and saved at the end.
import type { OrderReply } from '@fairgate/contracts/judging/scores.ts'
import { ActionIcon, Button } from '@mantine/core'
import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { readOf, useAction, useRead } from '../../api/use-read.ts'
import { countOf } from '../../format/number.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { FailureNote } from '../../show/failure-note.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { Empty, Loaded } from '../../show/states.tsx'
import { judgingPath, startHref, teamHref } from '../judge-address.ts'
import { isRead, useQueue } from '../queue-context.tsx'
import { formatMean } from './judgement.ts'
import { findContradictions, followServer, moveTeam, type OrderItem } from './move-team.ts'

const path = judgingPath('order')

export function OrderView() {
  const order = useRead(readOf<OrderReply>(path))
  useRefresh('judgements', [[path]])
  return (
    <>
      <PageHead title="Your order" />
      <Loaded read={order} what="The order of your teams" height={320}>
        {reply => (reply.items.length === 0 ? <NothingDone /> : <OrderForm reply={reply} />)}
      </Loaded>
    </>
  )
}

function NothingDone() {
  return (
    <Card isFlush>
      <Empty action={<PageLink href={startHref}>Your teams</PageLink>}>
        You have finished no team yet. Finished teams appear here, in the order of your scores.
      </Empty>
    </Card>
  )
}

/** An order that was changed here and is not saved. `revision`: what it was made from; another one means that another device saved. */
type Moved = { readonly teams: readonly string[]; readonly revision: number }

/** Stays in the browser until it is saved, also when the page is closed. Null: as the server has it. */
function useMoved(): readonly [Moved | null, (moved: Moved | null) => void] {
  const { judge } = useQueue()
  const key = `fairgate-order ${judge.judge_id}`
  const [moved, setMoved] = useState<Moved | null>(() => JSON.parse(localStorage.getItem(key) ?? 'null'))
  const set = (next: Moved | null) => {
    setMoved(next)
    try {
      if (next === null) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(next))
    } catch {
      // A browser without room shows it until the page is closed.
    }
  }
  return [moved, set]
}

function OrderForm({ reply }: { readonly reply: OrderReply }) {
  const { items, open } = useQueue()
  const [moved, setMoved] = useMoved()
  const [said, say] = useState('')
  const known = new Map(reply.items.map(item => [item.team, item]))
  const teams = moved === null ? reply.items.map(({ team }) => team) : followServer(moved.teams, reply.items)
  const shown = teams.flatMap(team => known.get(team) ?? [])
  const contradictions = findContradictions(shown)
  const rest = items.filter(item => !isRead(item)).length
  const revision = moved?.revision ?? reply.revision
  const isOutdated = revision !== reply.revision
  const save = useAction<object, OrderReply>({
    method: 'PUT',
    path,
    changes: [path, judgingPath('queue')],
    done: 'Order saved',
  })
  const move = (team: string, to: number) => {
    const next = moveTeam(teams, team, to)
    setMoved({ teams: next, revision })
    say(`${known.get(team)?.name ?? team} is now ${next.indexOf(team) + 1} of ${next.length}.`)
  }
  const takeServer = () => {
    setMoved(null)
    save.reset()
  }
  return (
    <Card
      className="order"
      title={`${countOf(shown.length, 'finished team')}, best first`}
      note={<Saved reply={reply} isMoved={moved !== null} />}
    >
      <div className="stack">
        <p className="muted">
          The list starts in the order of your scores. Move a team where your scores do not say which one is
          better: the order decides between equal teams.
        </p>
        {reply.saved_at !== null && !reply.saved && moved === null ? (
          <div className="notice" data-tone="warn" role="status">
            You have finished or reopened teams since you saved this order. Check it, and save it again.
          </div>
        ) : null}
        {isOutdated ? (
          <div className="notice wrap" data-tone="warn" role="status">
            <span>The order was saved on another device while you changed it here.</span>
            <span className="row wrap">
              <Button
                size="xs"
                variant="default"
                onClick={() => setMoved({ teams, revision: reply.revision })}
              >
                Keep mine
              </Button>
              <Button size="xs" variant="default" onClick={takeServer}>
                Take the other one
              </Button>
            </span>
          </div>
        ) : null}
        <OrderList shown={shown} contradictions={contradictions} isOff={!open} move={move} />
        <div className="hidden-text" role="status">
          {said}
        </div>
        <FailureNote text={isOutdated ? undefined : save.error?.message} />
        <div className="row-between wrap">
          <span className="small muted">
            {rest === 0
              ? 'All your teams are read.'
              : `${countOf(rest, 'team')} not read yet. You can save now, and again later.`}
          </span>
          <Button
            className="touch"
            loading={save.isPending}
            disabled={!open || isOutdated || (reply.saved && moved === null)}
            onClick={() => save.mutate({ teams, revision }, { onSuccess: () => setMoved(null) })}
          >
            Save this order
          </Button>
        </div>
      </div>
    </Card>
  )
}

function Saved({
  reply: { saved_at, saved },
  isMoved,
}: {
  readonly reply: OrderReply
  readonly isMoved: boolean
}) {
  if (isMoved) return 'not saved yet'
  if (saved_at === null) return 'from your scores, not saved yet'
  return (
    <>
      saved <Moment at={saved_at} />
      {saved ? '' : ', outdated'}
    </>
  )
}

function OrderList({
  shown,
  contradictions,
  isOff,
  move,
}: {
  readonly shown: readonly OrderItem[]
  readonly contradictions: ReadonlySet<string>
  readonly isOff: boolean
  readonly move: (team: string, to: number) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<string | null>(null)
  const drag = ({ clientY }: PointerEvent) => {
    if (dragged === null) return
    const rows = [...(list.current?.children ?? [])].map(row => row.getBoundingClientRect())
    const at = shown.findIndex(({ team }) => team === dragged)
    const over = rows.findIndex(({ top, bottom }) => top <= clientY && clientY < bottom)
    const row = rows[over]
    if (row === undefined || over === at) return
    // Only past the middle, so that rows of different heights do not jump to and fro.
    const isPast = over > at ? clientY > (row.top + row.bottom) / 2 : clientY < (row.top + row.bottom) / 2
    if (isPast) move(dragged, over)
  }
  const byKey = (event: KeyboardEvent, team: string, at: number) => {
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: shown.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    move(team, to)
  }
  return (
    <ol ref={list} className="order-list">
      {shown.map(({ team, name, mean, tied }, at) => (
        <li key={team} className="order-row" data-dragged={team === dragged}>
          <button
            type="button"
            className="order-grip"
            disabled={isOff}
            aria-label={`Move ${name}, ${at + 1} of ${shown.length}`}
            aria-keyshortcuts="ArrowUp ArrowDown Home End"
            onKeyDown={event => byKey(event, team, at)}
            onPointerDown={event => {
              event.currentTarget.setPointerCapture(event.pointerId)
              setDragged(team)
            }}
            onPointerMove={drag}
            onPointerUp={() => setDragged(null)}
            onPointerCancel={() => setDragged(null)}
          >
            <GripVertical size={18} aria-hidden />
          </button>
          <span className="order-place">{at + 1}</span>
          <span className="grow">
            <PageLink href={teamHref(team)}>
              <ForeignText text={name} most={60} />
            </PageLink>
            <span className="row wrap small muted">
              {formatMean(mean)}
              {tied ? <Badge tone="info">equal scores</Badge> : null}
              {contradictions.has(team) ? <Badge tone="warn">above a team with better scores</Badge> : null}
            </span>
          </span>
          <ActionIcon
            variant="default"
            size={44}
            disabled={isOff || at === 0}
            aria-label={`Move ${name} up`}
            onClick={() => move(team, at - 1)}
          >
            <ArrowUp size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={44}
            disabled={isOff || at === shown.length - 1}
            aria-label={`Move ${name} down`}
            onClick={() => move(team, at + 1)}
          >
            <ArrowDown size={18} aria-hidden />
          </ActionIcon>
        </li>
      ))}
    </ol>
  )
}

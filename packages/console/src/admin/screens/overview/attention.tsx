// Conditions that need attention, worst first. Each row links to the screen that fixes it and can be snoozed.

import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { AttentionReply, ConditionRecord, SnoozeReply } from '@fairgate/contracts/console/attention.ts'
import { Button, Menu, UnstyledButton } from '@mantine/core'
import { MoreHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Light } from '../../../show/light.tsx'
import { LinkButton } from '../../../show/link-button.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { RaiseLimit } from '../calls/raise-limit.tsx'
import { type Matter, mergeConditions } from './merge-conditions.ts'
import { whereToAct } from './where-to-act.ts'

const maxRows = 5

export function Attention() {
  const attention = useRead(readOf<AttentionReply>('/attention'))
  useRefresh('attention', [['/attention']])
  const [isWhole, setWhole] = useState(false)
  const total = attention.data?.total
  return (
    <Card
      title={
        <span className="row">
          Needs attention
          {total !== undefined && total.critical > 0 ? (
            <span className="badge" data-tone="bad">
              <span className="hidden-text">critical:</span>
              {total.critical}
            </span>
          ) : null}
          {total !== undefined && total.warning > 0 ? (
            <span className="badge" data-tone="warn">
              <span className="hidden-text">warnings:</span>
              {total.warning}
            </span>
          ) : null}
        </span>
      }
    >
      <Loaded read={attention} what="What needs attention" height={180}>
        {({ items, as_of }) => {
          const waiting = items.filter(({ snoozed }) => snoozed === null)
          const put = items.length - waiting.length
          if (waiting.length === 0)
            return (
              <Empty>
                All clear at <Moment at={as_of} as="clock" />.
                {put > 0 ? ` ${countOf(put, 'condition')} snoozed.` : ''}
              </Empty>
            )
          const matters = mergeConditions(waiting)
          const shown = isWhole ? matters : matters.slice(0, maxRows)
          return (
            <>
              <ul className="attention">
                {shown.map(matter => (
                  <Rows key={matter.first.condition_id} matter={matter} />
                ))}
              </ul>
              <div className="row-between small muted">
                {matters.length > maxRows ? (
                  <Button variant="subtle" size="compact-xs" onClick={() => setWhole(!isWhole)}>
                    {isWhole ? 'Show fewer' : `Show ${matters.length - maxRows} more`}
                  </Button>
                ) : (
                  <span />
                )}
                {put > 0 ? `${put} snoozed` : ''}
              </div>
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

/** The first condition of a kind; the others unfold on request. */
function Rows({ matter: { first, others } }: { readonly matter: Matter }) {
  const [isOpen, setOpen] = useState(false)
  if (others.length === 0) return <Condition condition={first} />
  return (
    <>
      <Condition condition={first}>
        <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `and ${countOf(others.length, 'other')}`}
          <span className="hidden-text"> like this: {first.text}</span>
        </Button>
      </Condition>
      {isOpen
        ? others.map(condition => <Condition key={condition.condition_id} condition={condition} />)
        : null}
    </>
  )
}

function Condition({
  condition,
  children,
}: {
  readonly condition: ConditionRecord
  readonly children?: ReactNode
}) {
  const { severity, kind, subjects, text, since, action } = condition
  const team = subjects.find(subject => subject.kind === 'team')?.id
  const place = whereToAct(condition)
  return (
    <li className="attention-row">
      <Light tone={severity === 'critical' ? 'blocked' : 'warn'} label={severity} />
      <span className="grow">
        <ForeignText text={text} /> {children} <Moment at={since} as="ago" className="muted small nowrap" />
        {action === null ? null : <div className="faint small attention-help">{action.text}</div>}
      </span>
      {kind === 'refused_often' && team !== undefined ? <RaiseNewest team={team} /> : null}
      {place === null ? null : (
        <LinkButton href={place.href} size="xs">
          {place.label}
        </LinkButton>
      )}
      <SnoozeMenu condition={condition} />
    </li>
  )
}

/** Offers to raise the limit behind the team's latest refusal, if a limit caused it. */
function RaiseNewest({ team }: { readonly team: string }) {
  const mayOrganise = useMayOrganise()
  const refused = useRead(
    readOf<OrganiserCallsPage>('/calls', { team_id: team, outcome: 'refused', limit: 1 }),
    { isOff: !mayOrganise },
  )
  const [call] = refused.data?.items ?? []
  return call === undefined ? null : <RaiseLimit call={call} size="xs" />
}

function SnoozeMenu({ condition: { condition_id: id, text } }: { readonly condition: ConditionRecord }) {
  const mayOrganise = useMayOrganise()
  const snooze = useAction<{ readonly minutes: number }, SnoozeReply>({
    done: 'Snoozed',
    method: 'POST',
    path: `/attention/${encodeURIComponent(id)}/snooze`,
    changes: ['/attention'],
  })
  if (!mayOrganise) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="chip" aria-label={`More: ${text}`}>
          <MoreHorizontal size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => snooze.mutate({ minutes: 60 })}>Snooze for 1 h</Menu.Item>
        <Menu.Item onClick={() => snooze.mutate({ minutes: 240 })}>Snooze for 4 h</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

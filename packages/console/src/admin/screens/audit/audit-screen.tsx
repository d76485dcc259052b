// Audit screen: every management change, newest first, with who, when and why.

import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { Button } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { groupBulk } from '../../../format/group-bulk.ts'
import { listDifferences } from '../../../format/list-differences.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { FilterField } from '../../../show/filter-field.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { List } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty } from '../../../show/states.tsx'
import { useMayRead } from '../../session-context.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'

const pageSize = 100

export function AuditScreen() {
  return (
    <>
      <PageHead title="Audit" />
      {useMayRead('operators') ? (
        <AuditList />
      ) : (
        <Card>
          <Empty>Only organisers and operators can see the audit log. Ask one of them.</Empty>
        </Card>
      )}
    </>
  )
}

function AuditList() {
  const { search, set, clear } = useAddress()
  const { actor, subject, action } = search
  const audit = useReadPages(readOf<AuditPage>('/audit', { team_id: subject, limit: pageSize }))
  const { rows } = audit
  const shown = rows.filter(
    row =>
      (actor === undefined || row.actor.toLowerCase().includes(actor.toLowerCase())) &&
      (action === undefined || row.action.includes(action.toLowerCase())),
  )
  const isNarrowed = actor !== undefined || action !== undefined
  return (
    <>
      <div className="row wrap">
        <TeamSelect value={subject} onChange={value => set({ subject: value })} />
        <FilterField
          label="Who"
          placeholder="Anyone"
          names={rows.map(row => row.actor)}
          value={actor}
          onChange={value => set({ actor: value })}
        />
        <FilterField
          label="What"
          placeholder="Any action"
          names={rows.map(row => row.action)}
          value={action}
          onChange={value => set({ action: value })}
        />
        {isNarrowed && audit.data !== undefined ? (
          <span className="muted small" role="status">
            {countOf(shown.length, 'change')} found in the {countOf(rows.length, 'change')} loaded so far
          </span>
        ) : null}
      </div>
      <Card isFlush>
        <List
          read={audit}
          rows={shown}
          what="The audit log"
          height={420}
          none="No changes yet"
          filter={
            isNarrowed || subject !== undefined
              ? {
                  none: audit.hasNextPage
                    ? 'No changes match this filter so far. Show older changes below.'
                    : 'No changes match this filter.',
                  clear,
                }
              : null
          }
        >
          {() => (
            <ul>
              {groupBulk(shown).map(group =>
                group.length === 1 ? (
                  <AuditItem key={group[0].id} row={group[0]} set={set} />
                ) : (
                  <BulkItem key={group[0].id} rows={group} set={set} />
                ),
              )}
            </ul>
          )}
        </List>
      </Card>
      <MoreButton more={audit.more}>Show older changes</MoreButton>
    </>
  )
}

/** One action on many teams, as a line that expands. */
function BulkItem({
  rows,
  set,
}: {
  readonly rows: readonly [AuditRow, ...AuditRow[]]
  readonly set: (change: Readonly<Record<string, string | undefined>>) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const [{ at, actor, action, reason, bulk_id }] = rows
  const teams = new Set(rows.map(({ team_id }) => team_id))
  return (
    <li data-bulk={bulk_id}>
      <button
        type="button"
        className="audit-item audit-bulk"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="row wrap">
          <ChevronRight size={14} aria-hidden />
          <Moment at={at} className="mono faint" />
          <ForeignText text={actor} most={40} className="strong" />
          <ForeignId text={action} most={60} />
          <Badge>{countOf(teams.size, 'team')}</Badge>
        </span>
        {reason === undefined ? null : <ForeignText text={reason} most={200} className="muted" />}
      </button>
      {isOpen ? (
        <ul className="audit-rows">
          {rows.map(row => (
            <AuditItem key={row.id} row={row} set={set} />
          ))}
        </ul>
      ) : null}
    </li>
  )
}

const maxChanges = 8

function AuditItem({
  row,
  set,
}: {
  readonly row: AuditRow
  readonly set: (change: Readonly<Record<string, string | undefined>>) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const changes = listDifferences(row.before, row.after)
  const listed = isOpen ? changes : changes.slice(0, maxChanges)
  return (
    <li className="audit-item" data-audit={row.id}>
      <div className="row-between wrap">
        <span className="row wrap">
          <Moment at={row.at} as="moment" className="mono faint" />
          <button type="button" className="audit-filter strong" onClick={() => set({ actor: row.actor })}>
            <ForeignText text={row.actor} most={40} />
          </button>
          <button type="button" className="audit-filter" onClick={() => set({ action: row.action })}>
            <ForeignId text={row.action} most={60} />
          </button>
          {row.team_id === '' ? null : <TeamLink team={row.team_id} />}
          {row.target === row.team_id || row.target === '' ? null : (
            <code className="faint" title={row.target.length > 16 ? row.target : undefined}>
              <ForeignText text={row.target} most={16} />
            </code>
          )}
        </span>
        {row.reason === undefined ? null : <ForeignText text={row.reason} most={200} className="muted" />}
      </div>
      {listed.length === 0 ? null : (
        <dl className="audit-changes">
          {listed.map(({ name, before, after }) => (
            <div key={name}>
              <dt>
                <ForeignText text={name} most={60} />
              </dt>
              <dd>
                {before === null ? null : (
                  <del>
                    <span className="hidden-text">before: </span>
                    <ForeignText text={before} most={300} />
                  </del>
                )}
                {before !== null && after !== null ? <span aria-hidden> → </span> : null}
                {after === null ? null : (
                  <ins>
                    <span className="hidden-text">after: </span>
                    <ForeignText text={after} most={300} />
                  </ins>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {changes.length > maxChanges ? (
        <Button variant="subtle" size="compact-xs" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${changes.length} fields`}
        </Button>
      ) : null}
    </li>
  )
}

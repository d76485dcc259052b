// The team's own calls with their outcomes.

import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { SelfModels } from '@fairgate/contracts/console/self.ts'
import { Select } from '@mantine/core'
import { readOf, useRead, useReadPages } from '../../api/use-read.ts'
import { formatExact } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { OutcomeBadge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { CopiedCode } from '../../show/copy-button.tsx'
import { SideDialog } from '../../show/dialog.tsx'
import { Explanation } from '../../show/explanation.tsx'
import { FactList, type Facts } from '../../show/facts.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { List } from '../../show/list.tsx'
import { Moment } from '../../show/moment.tsx'
import { MoreButton } from '../../show/more-button.tsx'
import { OutcomeSelect } from '../../show/outcome-select.tsx'
import { Loaded, PartError } from '../../show/states.tsx'
import { CallRows } from '../parts/newest-calls.tsx'
import { refusalHeadline } from '../parts/refusal-headline.ts'
import { TeamLink, useTeamSearch } from '../team-link.tsx'

const pageSize = 50

export function OwnCallsScreen() {
  const [search, set] = useTeamSearch()
  const models = useRead(readOf<SelfModels>('/self/models'))
  const calls = useReadPages(
    readOf<CallsPage>('/self/calls', { outcome: search.outcome, model: search.model, limit: pageSize }),
  )
  const isFiltered = search.outcome !== undefined || search.model !== undefined
  return (
    <>
      <div className="row-between wrap">
        <h1>Calls</h1>
        <div className="row wrap">
          <OutcomeSelect value={search.outcome} onChange={outcome => set({ outcome })} />
          <Select
            aria-label="Model"
            placeholder="Any model"
            clearable
            searchable
            data={models.data?.items.map(({ id }) => id) ?? []}
            value={search.model ?? null}
            onChange={value => set({ model: value ?? undefined })}
          />
        </div>
      </div>
      <Card>
        <List
          read={calls}
          rows={calls.rows}
          what="The list of calls"
          height={400}
          none="No calls yet. Connect a tool, and its first call appears here within a second."
          next={<TeamLink href="/connect">Connect a tool</TeamLink>}
          filter={
            isFiltered
              ? {
                  none: 'No calls match this filter.',
                  clear: () => set({ outcome: undefined, model: undefined }),
                }
              : null
          }
        >
          {() => (
            <>
              <CallRows rows={calls.rows} />
              <MoreButton more={calls.more} fullWidth mt={12}>
                Show older calls
              </MoreButton>
            </>
          )}
        </List>
      </Card>
      {search.call === undefined ? null : (
        <CallDrawer callId={search.call} onClose={() => set({ call: undefined })} />
      )}
    </>
  )
}

function CallDrawer({ callId, onClose }: { readonly callId: string; readonly onClose: () => void }) {
  const call = useRead(readOf<CallItem>(`/self/calls/${encodeURIComponent(callId)}`))
  return (
    <SideDialog title="Call details" onClose={onClose}>
      {call.error === null ? (
        <Loaded read={call} what="The call" height={300}>
          {found => <CallFacts call={found} />}
        </Loaded>
      ) : (
        <PartError what="The call" failure={call.error} />
      )}
    </SideDialog>
  )
}

function CallFacts({ call }: { readonly call: CallItem }) {
  const { refusal } = call
  const facts: Facts = [
    ['Call id', <CopiedCode key="id" text={call.call_id} />],
    ['Received', <Moment key="at" at={call.received_at} as="clock" />],
    [
      'Model',
      <code key="model">
        <ForeignText text={call.model_served ?? call.model_asked ?? '–'} />
      </code>,
    ],
    [
      'Cost',
      <span key="cost" className="strong">
        {call.outcome === 'refused' ? 'nothing was charged' : formatExact(call.left_nano)}
      </span>,
    ],
    ['Tokens', `${formatCount(call.input_tokens)} in, ${formatCount(call.output_tokens)} out`],
    ['Charged for', listUnits(call.units)],
    [
      'Duration',
      `${formatDuration(call.duration_ms)}${call.first_byte_ms === null ? '' : `, first byte after ${formatDuration(call.first_byte_ms)}`}`,
    ],
    ['Key', <ForeignText key="key" text={call.key_alias ?? call.key_name ?? 'deleted'} />],
    ['Tool', <ForeignText key="tool" text={call.tool ?? call.user_agent ?? '–'} />],
    [
      'Session',
      <code key="session">
        <ForeignText text={call.session.id ?? 'none'} />
      </code>,
    ],
  ]
  return (
    <div className="stack">
      <OutcomeBadge outcome={call.outcome} code={call.code} />
      {call.outcome === 'refused' ? <p className="strong">Refused: {refusalHeadline(call.code)}.</p> : null}
      {call.explanation === null ? null : (
        <p data-explanation>
          <Explanation text={call.explanation} />
        </p>
      )}
      {refusal === null ? null : (
        <FactList
          facts={[
            ['Limit', `${refusal.limit} (${refusal.level.replaceAll('_', ' ')})`],
            ['Used', refusal.used],
            ['Held', refusal.held],
            ['Room again', <Moment key="at" at={refusal.reset} as="clock" none="waiting does not help" />],
          ]}
        />
      )}
      <FactList facts={facts} />
      {call.corrections.length === 0 ? null : (
        <section className="sunken-box">
          <h3>Corrected by the organisers</h3>
          <ul>
            {call.corrections.map(({ adjustment_id, amount_nano, reason, at }) => (
              <li key={adjustment_id}>
                {formatExact(amount_nano)}, <Moment at={at} />: <ForeignText text={reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {call.session.id === null ? null : (
        <TeamLink href={`/log?session=${encodeURIComponent(call.session.id)}`}>
          Log entries of this session
        </TeamLink>
      )}
      <p className="small muted">Prompts and answers are not stored here. They are in your log.</p>
      <TeamLink href={`/ask?call=${encodeURIComponent(call.call_id)}`}>
        Ask the organisers about this call
      </TeamLink>
    </div>
  )
}

function listUnits(units: CallItem['units']): string {
  const parts = Object.entries(units).map(([unit, count]) => `${formatCount(count)} ${splitWords(unit)}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** `inputText` → `input text` */
function splitWords(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
}

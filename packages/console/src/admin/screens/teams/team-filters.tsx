// Filters for the team list: a text field for team or member names, and a chip with a count for each state.
import type { TeamState, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { countOf, formatCount } from '../../../format/number.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { useAddress } from '../../../frame/use-address.ts'
import { statesOfAttention, stateWords } from './team-state.tsx'

/** Delay after the last keystroke before the filter applies. */
const restMs = 250

/** `states`: number of teams in each state. `found`: number of matches. Undefined until loaded. */
export function TeamFilters({
  states,
  found,
}: {
  readonly states: TeamsReply['states'] | undefined
  readonly found: number | undefined
}) {
  const { search, change } = useAddress()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(search.q ?? '')
  const asked = search.q ?? ''
  const written = useRef(asked)
  useHotkeys([{ keys: '/', does: 'Focus the filter', run: () => field.current?.focus() }])
  // After Back or a link the field follows the address, unless the address came from typing.
  useEffect(() => {
    if (asked !== written.current) setTyped(asked)
    written.current = asked
  }, [asked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer.
  useEffect(() => {
    const text = typed.trim()
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      change({ q: text === '' ? undefined : text })
    }, restMs)
    return () => clearTimeout(timer)
  }, [typed])
  const counts = Object.entries(states ?? {}) as [TeamState, number][]
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  const attention = counts.reduce(
    (sum, [state, count]) => (statesOfAttention.includes(state) ? sum + count : sum),
    0,
  )
  const attentionStates = statesOfAttention.join(',')
  const chips = [
    { state: undefined, word: 'All', count: all },
    { state: attentionStates, word: 'Attention', count: attention },
    ...counts
      .filter(([state, count]) => count > 0 || state === search.state)
      .map(([state, count]) => ({ state, word: stateWords[state], count })),
  ]
  return (
    <search className="row wrap">
      <TextInput
        ref={field}
        className="teams-filter"
        aria-label="Team or member"
        placeholder="Team or member"
        leftSection={<Search size={15} aria-hidden />}
        rightSection={<kbd className="faint">/</kbd>}
        value={typed}
        maxLength={256}
        onChange={event => setTyped(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {states === undefined
        ? null
        : chips.map(({ state, word, count }) => (
            <button
              key={word}
              type="button"
              className="chip"
              aria-pressed={search.state === state}
              onClick={() => change({ state }, true)}
            >
              {word} <span className="strong">{formatCount(count)}</span>
            </button>
          ))}
      {found === undefined || (search.q === undefined && search.state === undefined) ? null : (
        <span className="muted small" role="status">
          {formatCount(found)} of {countOf(all, 'team')}
        </span>
      )}
    </search>
  )
}

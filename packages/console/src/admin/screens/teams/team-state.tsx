// A team's state badge and lights, the same on every screen.

import type { TeamRow, TeamState } from '@fairgate/contracts/console/teams.ts'
import { Ban, CircleDashed } from 'lucide-react'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { Light } from '../../../show/light.tsx'

export const stateWords: Readonly<Record<TeamState, string>> = {
  budget_spent: 'Budget spent',
  refused_now: 'Refused now',
  near_budget: 'Near budget',
  recorder_silent: 'Recorder silent',
  blocked: 'Blocked',
  not_started: 'Not started',
  quiet: 'Quiet',
  working: 'Working',
}

const tones: Readonly<Record<TeamState, BadgeTone>> = {
  budget_spent: 'bad',
  refused_now: 'warn',
  near_budget: 'warn',
  recorder_silent: 'warn',
  blocked: 'bad',
  not_started: 'plain',
  quiet: 'plain',
  working: 'ok',
}

/** These may need an organiser; the filter "Attention" shows them together. */
export const statesOfAttention: readonly TeamState[] = [
  'budget_spent',
  'refused_now',
  'near_budget',
  'recorder_silent',
  'blocked',
  'quiet',
]

export function TeamStateBadge({ state }: { readonly state: TeamState }) {
  const icon =
    state === 'blocked' ? (
      <Ban aria-hidden />
    ) : state === 'quiet' || state === 'not_started' ? (
      <CircleDashed aria-hidden />
    ) : undefined
  return (
    <Badge tone={tones[state]} icon={icon}>
      {stateWords[state]}
    </Badge>
  )
}

const lightNames = { key: 'Key', call: 'Call', rec: 'Recorder', log: 'Log' } as const

export function TeamLights({ lights }: Pick<TeamRow, 'lights'>) {
  return (
    <span className="lights">
      {(['key', 'call', 'rec', 'log'] as const).map(name => (
        <Light key={name} tone={lights[name].s} label={lightNames[name]} text={lights[name].text} />
      ))}
    </span>
  )
}

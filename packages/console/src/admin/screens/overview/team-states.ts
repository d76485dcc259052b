// The states and lights of teams in words.
import type { LightState, TeamState } from '@fairgate/contracts/console/teams.ts'
import type { BadgeTone } from '../../../show/badge.tsx'
import type { LightTone } from '../../../show/light-sign.tsx'

export const teamStateWords: Readonly<Record<TeamState, readonly [BadgeTone, string]>> = {
  budget_spent: ['bad', 'Budget spent'],
  refused_now: ['warn', 'Refused now'],
  near_budget: ['warn', 'Near budget'],
  recorder_silent: ['warn', 'Recorder silent'],
  blocked: ['bad', 'Blocked'],
  not_started: ['plain', 'Not started'],
  quiet: ['plain', 'Quiet'],
  working: ['ok', 'Working'],
}

export const lightNames = { key: 'Key', call: 'Call', rec: 'Recorder' } as const

export const lightTones: Readonly<Record<LightState, LightTone>> = {
  ok: 'ok',
  none: 'none',
  warn: 'warn',
  blocked: 'blocked',
}

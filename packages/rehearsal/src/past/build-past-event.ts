// Builds the event file of the sample event: practice is over, the contest is running, and judging is ahead.
import type { EventFile } from '@fairgate/contracts/management/event-file.ts'
import { cast, teamBudget } from './cast.ts'
import { emailOf, pastMs } from './plan-past.ts'
import { keyLimits } from './plan-refusals.ts'

const eventName = 'Rehearsal: a filled example'

const hourMs = 3_600_000
const practiceMs = 1.5 * hourMs
const stepMs = 5 * 60_000

/** When teams and keys were created (Unix ms): before their first call. */
export function foundingOf(now: number): number {
  return now - pastMs - practiceMs - hourMs
}

/** `now` in Unix ms. */
export function buildPastEvent(now: number, timeZone: string): EventFile {
  const time = (at: number) => new Date(at).toISOString()
  // Before the first call, at a time that a person would choose.
  const start = Math.floor((now - pastMs) / stepMs) * stepMs
  const end = start + 8 * hourMs
  return {
    event: { name: eventName, time_zone: timeZone, budget: 100 },
    teams: cast.map(team => ({
      id: team.id,
      name: team.name,
      budget: teamBudget,
      rpm: 240,
      tpm: 2_000_000,
      members: team.members.map((name, member) => ({
        name,
        email: emailOf(team, member),
        keys: [{ alias: 'laptop', ...keyLimits }],
      })),
    })),
    phases: [
      { name: 'practice', from: time(start - practiceMs), until: time(start), gateway: 'open' },
      { name: 'contest', from: time(start), until: time(end), gateway: 'open', accounting: 'new' },
      { name: 'judging', from: time(end), gateway: 'closed', entries_until: '+45m' },
    ],
    notices: [
      {
        text: 'This is a rehearsal: the teams, people, calls and entries in this event are made up.',
        from: time(start),
      },
      { text: 'Lunch is served in hall 2. (Rehearsal)', from: time(now - 0.75 * hourMs) },
    ],
  }
}

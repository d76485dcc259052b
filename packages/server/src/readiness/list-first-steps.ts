// What to set up before an event, in order, and how far it is. Pure.
import type { FirstStep } from '@fairgate/contracts/management/first-steps.ts'
import { isLoopback } from './check-addresses.ts'
import type { LastRuns } from './last-runs.ts'

export type FirstStepFacts = {
  readonly event: {
    readonly name: string
    readonly timeZone: string
    readonly phases: readonly { readonly name: string }[]
  }
  /** Without blocked ones and the demo team. */
  readonly teams: readonly { readonly hasAccess: boolean }[]
  /** Null for the embedded sandbox. */
  readonly vendorUrl: string | null
  readonly publicUrls: { readonly gateway: string; readonly logbook: string }
  /** Admin keys with a name, besides the first one. */
  readonly adminKeys: number
  readonly lastRuns: LastRuns
}

export function listFirstSteps(facts: FirstStepFacts): FirstStep[] {
  const { event, teams, vendorUrl, publicUrls, adminKeys, lastRuns } = facts
  const without = teams.filter(({ hasAccess }) => !hasAccess).length
  const isPublic = [publicUrls.gateway, publicUrls.logbook].every(url => !isLoopback(new URL(url).hostname))
  return [
    {
      step: 'event',
      title: 'Name the event',
      is_done: event.name !== '',
      text: event.name === '' ? 'It has no name yet.' : `${event.name}, in the time zone ${event.timeZone}.`,
      action: {
        text: 'Set name, time zone and cap',
        path: '/console/event?do=settings',
        command: 'fairgate event set --name <name> --time-zone <zone> --cap <usd>',
      },
    },
    {
      step: 'phases',
      title: 'Plan the phases',
      is_done: event.phases.length > 0,
      text:
        event.phases.length === 0
          ? 'Without phases the gateway is always open.'
          : `${event.phases.map(({ name }) => name).join(', ')}.`,
      action: {
        text: 'Edit the phases',
        path: '/console/event?do=phases',
        command: 'fairgate phase set <name> --from <time> --until <time> --budget <usd>',
      },
    },
    {
      step: 'teams',
      title: 'Add the teams',
      is_done: teams.length > 0,
      text: teams.length === 0 ? 'There are none yet.' : `${count(teams.length, 'team')}.`,
      action: { text: 'Add teams', path: '/console/teams', command: 'fairgate apply event.yaml' },
    },
    {
      step: 'upstream',
      title: 'Connect a model provider',
      is_done: vendorUrl !== null,
      text:
        vendorUrl === null
          ? 'Calls go to the embedded sandbox, which makes its answers up.'
          : `Calls go to ${vendorUrl}.`,
      action: {
        text: 'Set VENDOR_API_KEY and restart the server',
        path: '/console/models',
        command: 'VENDOR_API_KEY=<key> fairgate serve',
      },
    },
    {
      step: 'addresses',
      title: 'Publish the addresses',
      is_done: isPublic,
      text: isPublic
        ? `${publicUrls.gateway} and ${publicUrls.logbook}.`
        : `Teams would be sent to ${publicUrls.gateway} and ${publicUrls.logbook}, which only this machine can reach.`,
      action: {
        text: 'Set FAIRGATE_GATEWAY_URL and FAIRGATE_LOGBOOK_URL and restart the server',
        path: null,
        command: 'FAIRGATE_GATEWAY_URL=<url> FAIRGATE_LOGBOOK_URL=<url> fairgate serve',
      },
    },
    {
      step: 'backup',
      title: 'Make a backup',
      is_done: lastRuns.backup !== undefined,
      text:
        lastRuns.backup === undefined ? 'None has been made here.' : `Last one: ${showDay(lastRuns.backup)}.`,
      action: { text: 'Make a backup each night', path: null, command: 'fairgate backup create <folder>' },
    },
    {
      step: 'staff',
      title: 'Give staff access',
      is_done: adminKeys > 0,
      text:
        adminKeys === 0
          ? 'Everyone would share the first admin key, and the audit could not tell them apart.'
          : `${count(adminKeys, 'admin key')} besides the first.`,
      action: {
        text: 'Make an admin key for each person',
        path: '/console/settings',
        command: 'fairgate admin-key create <name> --role organiser',
      },
    },
    {
      step: 'handouts',
      title: 'Hand out the access of the teams',
      is_done: teams.length > 0 && without === 0,
      text:
        teams.length === 0
          ? 'There are no teams yet.'
          : without === 0
            ? 'Each team has a code or a key.'
            : `${count(without, 'team')} without a code or a key.`,
      action: {
        text: 'Print hand-outs',
        path: '/console/handouts',
        command: 'fairgate handout sheets.html --all',
      },
    },
    {
      step: 'rehearsal',
      title: 'Rehearse',
      is_done: lastRuns.rehearsal !== undefined,
      text:
        lastRuns.rehearsal === undefined
          ? 'Plays a small event on this machine and says what to change. Runs from a checkout of the source.'
          : `Last one: ${showDay(lastRuns.rehearsal)}.`,
      action: {
        text: 'Rehearse on the machine of the event',
        path: null,
        command: 'npm run rehearse -- --teams 60 --minutes 5',
      },
    },
  ]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `2026-11-21 14:02 UTC` */
function showDay(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

// Lists the steps to set up an event, in order, and their progress. Pure.
import type { FirstStep } from '@fairgate/contracts/management/first-steps.ts'
import { isLoopback } from './check-addresses.ts'
import type { LastRuns } from './last-runs.ts'

export type FirstStepFacts = {
  readonly event: {
    readonly name: string
    readonly timeZone: string
    readonly phases: readonly { readonly name: string }[]
  }
  /** Without blocked teams and the demo team. */
  readonly teams: readonly { readonly hasAccess: boolean }[]
  /** Null for the embedded sandbox. */
  readonly vendorUrl: string | null
  readonly publicUrls: { readonly gateway: string; readonly logbook: string }
  /** Admin keys with a name, besides the first one. */
  readonly adminKeys: number
  readonly lastRuns: LastRuns
}

type Step = Pick<FirstStep, 'step' | 'title'> & {
  /** The current value; null while the step is not done. */
  readonly done: string | null
  readonly todo: string
  readonly action: readonly [text: string, path: string | null, command: string]
}

export function listFirstSteps(facts: FirstStepFacts): FirstStep[] {
  const { event, teams, vendorUrl, publicUrls, adminKeys, lastRuns } = facts
  const { gateway, logbook } = publicUrls
  const without = teams.filter(({ hasAccess }) => !hasAccess).length
  const isPublic = [gateway, logbook].every(url => !isLoopback(new URL(url).hostname))
  const showRun = (run: keyof LastRuns) => {
    const at = lastRuns[run]
    return at === undefined ? null : `Last: ${showDay(at)}.`
  }
  const steps: readonly Step[] = [
    {
      step: 'event',
      title: 'Name the event',
      done: event.name === '' ? null : `${event.name}, in the time zone ${event.timeZone}.`,
      todo: 'It has no name yet.',
      action: [
        'Set name, time zone and cap',
        '/console/event?do=settings',
        'fairgate event set --name <name> --time-zone <zone> --cap <usd>',
      ],
    },
    {
      step: 'phases',
      title: 'Plan the phases',
      done: event.phases.length === 0 ? null : `${event.phases.map(({ name }) => name).join(', ')}.`,
      todo: 'Without phases the gateway is always open.',
      action: [
        'Edit the phases',
        '/console/event?do=phases',
        'fairgate phase set <name> --from <time> --until <time> --budget <usd>',
      ],
    },
    {
      step: 'teams',
      title: 'Add the teams',
      done: teams.length === 0 ? null : `${count(teams.length, 'team')}.`,
      todo: 'There are none yet.',
      action: ['Add teams', '/console/teams', 'fairgate apply event.yaml'],
    },
    {
      step: 'upstream',
      title: 'Connect a model provider',
      done: vendorUrl === null ? null : `Calls go to ${vendorUrl}.`,
      todo: 'Calls go to the embedded sandbox, which invents its answers.',
      action: [
        'Set VENDOR_API_KEY and restart the server',
        '/console/models',
        'VENDOR_API_KEY=<key> fairgate serve',
      ],
    },
    {
      step: 'addresses',
      title: 'Publish the addresses',
      done: isPublic ? `${gateway} and ${logbook}.` : null,
      todo: `Teams would get ${gateway} and ${logbook}, which only this machine can reach.`,
      action: [
        'Set FAIRGATE_GATEWAY_URL and FAIRGATE_LOGBOOK_URL and restart the server',
        null,
        'FAIRGATE_GATEWAY_URL=<url> FAIRGATE_LOGBOOK_URL=<url> fairgate serve',
      ],
    },
    {
      step: 'backup',
      title: 'Make a backup',
      done: showRun('backup'),
      todo: 'None has been made here.',
      action: ['Make a backup each night', null, 'fairgate backup create <folder>'],
    },
    {
      step: 'staff',
      title: 'Give staff access',
      done: adminKeys === 0 ? null : `${count(adminKeys, 'admin key')} besides the first.`,
      todo: 'Everyone would share the first admin key, and the audit could not distinguish them.',
      action: [
        'Make an admin key for each person',
        '/console/settings',
        'fairgate admin-key create <name> --role organiser',
      ],
    },
    {
      step: 'handouts',
      title: 'Hand out the access of the teams',
      done: teams.length > 0 && without === 0 ? 'Each team has a code or a key.' : null,
      todo:
        teams.length === 0 ? 'There are no teams yet.' : `${count(without, 'team')} without a code or a key.`,
      action: ['Print handouts', '/console/handouts', 'fairgate handout sheets.html --all'],
    },
    {
      step: 'rehearsal',
      title: 'Rehearse',
      done: showRun('rehearsal'),
      todo: 'Simulates a small event on this machine and suggests changes. Runs from a checkout of the source.',
      action: ['Rehearse on the machine of the event', null, 'npm run rehearse -- --teams 60 --minutes 5'],
    },
  ]
  return steps.map(({ step, title, done, todo, action: [text, path, command] }) => ({
    step,
    title,
    is_done: done !== null,
    text: done ?? todo,
    action: { text, path, command },
  }))
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `2026-11-21 14:02 UTC` */
function showDay(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

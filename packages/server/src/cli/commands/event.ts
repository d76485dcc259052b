// `fairgate event …` and `fairgate phase …`: settings of the event, its phases, and the commands that stop and move it.
import { type EventRecord, eventSchema } from '@fairgate/contracts/management/event.ts'
import { eventFileReplySchema } from '@fairgate/contracts/management/event-file.ts'
import {
  formatLocalMoment,
  formatZonedMoment,
  readLocalMoments,
} from '@fairgate/contracts/text/zoned-time.ts'
import type { Command } from 'commander'
import { addPlannedAction, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import {
  type Fields,
  orNone,
  parseList,
  parseNano,
  parseTime,
  requireChange,
  textOrNone,
  timeHelp,
} from '../options.ts'
import { formatFields, formatItems, formatNano } from '../output/format.ts'

const eventHelp = `
${timeHelp}
Times without an offset are in the event's time zone. Every change says first what it affects; with
--dry-run nothing changes.

Examples:
  $ fairgate event set --name "AI Cup" --time-zone Asia/Seoul --cap 900
  $ fairgate event show
  $ fairgate event pause --reason "fire alarm"
  $ fairgate event resume
  $ fairgate event extend 15m
  $ fairgate event end --dry-run
  $ fairgate event reopen
  $ fairgate event export > event.yaml`

const phaseHelp = `
Once there are phases, paid calls are accepted only while an open one lasts.
${timeHelp}

Examples:
  $ fairgate phase now
  $ fairgate phase list
  $ fairgate phase set contest --from 2026-11-21T10:00 --until 2026-11-21T18:00
  $ fairgate phase set contest --budget 25 --accounting new
  $ fairgate phase set judging --from 2026-11-21T18:00 --gateway closed
  $ fairgate phase set contest --until 2026-11-21T19:00
  $ fairgate phase remove practice`

const plainActions = [
  ['pause', 'refuse new paid calls until the event resumes; running calls finish'],
  ['resume', 'resume a paused event'],
  ['reopen', 'reopen an ended event; phases decide again what is open'],
] as const

export function addEventCommands(program: Command, context: CommandContext): void {
  const group = program.command('event').description('manage the event: settings, pause, extend, end')
  group.addHelpText('after', eventHelp)
  addRequest(group, context, {
    verb: 'show',
    description: 'show settings, phases, and whether paid calls are accepted now',
    request: () => ({ get: '/event' }),
    reply: eventSchema,
    describe: describeEvent,
  })
  addPlannedAction(group, context, {
    verb: 'set',
    description: 'change name, time zone and cap; options left out stay unchanged',
    options: [
      ['--name <name>', 'name of the event'],
      ['--time-zone <zone>', 'IANA name, such as Asia/Seoul'],
      ['--cap <usd>', 'max spend of all teams together; "none" for no cap', orNone(parseNano)],
    ],
    names: { cap: 'cap_nano' },
    request: fields => ({ put: '/event', body: requireChange(fields) }),
  })
  addRequest(group, context, {
    verb: 'export',
    description: 'print the file for "fairgate apply" that matches the current event',
    request: () => ({ get: '/event/file' }),
    reply: eventFileReplySchema,
    describe: ({ file }) => file.trimEnd(),
  })
  for (const [verb, description] of plainActions)
    addPlannedAction(group, context, {
      verb,
      description,
      request: () => ({ post: `/event/${verb}`, body: {} }),
    })
  addPlannedAction(group, context, {
    verb: 'extend',
    description: 'move the end of the current phase and everything after it',
    arguments: [['<span>', 'how long, such as 15m or 1h30m']],
    options: [['--phase <name>', 'phase to extend, even after it has ended (default: the current one)']],
    request: (fields, by) => ({ post: '/event/extend', body: { by, ...fields } }),
  })
  addPlannedAction(group, context, {
    verb: 'end',
    description: 'end the event: close the gateway and lock all boards, now or at a time',
    options: [
      ['--at <time>', 'when, such as +15m (default: now); a time in the past needs confirmation', parseTime],
    ],
    request: body => ({ post: '/event/end', body }),
  })
}

export function addPhaseCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('phase')
    .description('manage the phases of the event')
    .addHelpText('after', phaseHelp)
  const readEvent = () => context.ask({ get: '/event' }, eventSchema)
  addRequest(group, context, {
    verb: 'now',
    description: 'show the current phase and the next one',
    request: () => ({ get: '/event' }),
    reply: eventSchema,
    describe: describeNow,
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'list all phases',
    request: () => ({ get: '/event' }),
    reply: eventSchema,
    list: 'phases',
    describe: describePhases,
  })
  addPlannedAction(group, context, {
    verb: 'set',
    description: 'add or change a phase; options left out stay unchanged',
    arguments: [['<name>', 'name of the phase']],
    options: [
      ['--from <time>', 'start; needed for a new phase', parseTime],
      ['--until <time>', 'end, not included; "none" for the last phase', orNone(parseTime)],
      ['--gateway <state>', 'open or closed'],
      ['--models <a,b>', 'models that may be called; "none" for all', orNone(parseList)],
      ['--budget <usd>', 'budget in place of each team\'s own; "none" for no such budget', orNone(parseNano)],
      ['--accounting <how>', 'new: start a new budget period with the phase; or continue'],
      [
        '--entries-until <time>',
        'lock the boards at the end; accept earlier entries until then, such as +45m after it',
        textOrNone,
      ],
      ['--submissions-until <time>', 'deadline of submissions, such as +15m after the end', textOrNone],
    ],
    names: { budget: 'budget_nano' },
    request: async (fields, name) => {
      const event = await readEvent()
      const phases = mergePhase(event, name, requireChange(fields))
      return { put: '/event/phases', body: { phases, version: event.version } }
    },
  })
  addPlannedAction(group, context, {
    verb: 'remove',
    description: 'remove a phase',
    arguments: [['<name>', 'name of the phase']],
    request: async (_, name) => {
      const { phases, version } = await readEvent()
      const rest = phases.filter(phase => phase.name !== name)
      if (rest.length === phases.length) throw refuseUsage(`there is no phase "${name}".`)
      return { put: '/event/phases', body: { phases: rest, version } }
    },
  })
}

/** NaN for a time that the server will refuse. */
function startOf(text: string, zone: string): number {
  return readLocalMoments(text, zone)?.[0] ?? Date.parse(text)
}

/** A new phase comes before the first one that starts later. */
function mergePhase(
  { phases, time_zone: zone }: EventRecord,
  name: string,
  fields: Fields,
): readonly object[] {
  const index = phases.findIndex(phase => phase.name === name)
  if (index >= 0) return phases.map((phase, place) => (place === index ? { ...phase, ...fields } : phase))
  const { from } = fields
  if (typeof from !== 'string') throw refuseUsage(`there is no phase "${name}"; a new one needs --from.`)
  const startsAt = startOf(from, zone)
  const added = { name, ...fields }
  const next = phases.findIndex(phase => Date.parse(phase.from) > startsAt)
  return next < 0 ? [...phases, added] : [...phases.slice(0, next), added, ...phases.slice(next)]
}

function describeEvent(event: EventRecord): string {
  const { name, time_zone: zone, cap_nano: cap, paused, ended } = event
  const facts = formatFields([
    ['event', name === '' ? null : name],
    ['time zone', zone],
    ['cap', cap === null ? 'none' : `${formatNano(cap)} USD over all teams`],
    ['gateway', describeGateway(event)],
    paused !== null && ['paused', describeStop(paused.since, paused.reason, zone)],
    ended !== null && ['ended', describeStop(ended.at, ended.reason, zone)],
    ['version', event.version],
  ])
  return event.phases.length === 0 ? facts : `${facts}\n\n${describePhases(event)}`
}

function describeStop(since: string, reason: string, zone: string): string {
  const shown = `from ${showTime(since, zone)}`
  return reason === '' ? shown : `${shown}: ${reason}`
}

function describeGateway({ gateway, changes_at: next, time_zone: zone }: EventRecord): string {
  return next === null ? gateway : `${gateway}; changes at ${showTime(next, zone)}`
}

function describeNow(event: EventRecord): string {
  const { phase, phases, as_of: now } = event
  if (phases.length === 0) return `There are no phases. The gateway is ${event.gateway}.`
  const following = phases.find(({ from }) => Date.parse(from) > Date.parse(now))
  return formatFields([
    ['now', showTime(now, event.time_zone)],
    ['phase', phase ?? 'none'],
    ['gateway', describeGateway(event)],
    [
      'next',
      following === undefined ? 'none' : `${following.name} at ${showTime(following.from, event.time_zone)}`,
    ],
  ])
}

function describePhases({ phases, time_zone: zone, phase: present }: EventRecord): string {
  const show = (time: string | null) => (time === null ? null : formatLocalMoment(Date.parse(time), zone))
  return formatItems(phases, 'No phases yet. Create one with "fairgate phase set".', {
    PHASE: 'name',
    FROM: phase => show(phase.from),
    UNTIL: phase => show(phase.until),
    GATEWAY: 'gateway',
    BUDGET: phase => (phase.budget_nano === null ? null : formatNano(phase.budget_nano)),
    ACCOUNTING: 'accounting',
    'ENTRIES UNTIL': phase => show(phase.entries_until),
    MODELS: phase => (phase.models === null ? 'all' : phase.models.join(', ')),
    '': phase => (phase.name === present ? 'now' : ''),
  })
}

function showTime(time: string, zone: string): string {
  return formatZonedMoment(Date.parse(time), zone)
}

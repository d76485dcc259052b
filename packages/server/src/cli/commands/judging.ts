// `fairgate judging …`: the arithmetic, the panel with its claim links, the deal, progress, results and their publication.
import { type JudgeCodesReply, judgeCodesReplySchema } from '@fairgate/contracts/judging/codes.ts'
import { type JudgeList, judgeListSchema } from '@fairgate/contracts/judging/panel.ts'
import { type ResultsReply, resultsReplySchema } from '@fairgate/contracts/judging/results.ts'
import { type ProgressReply, progressReplySchema } from '@fairgate/contracts/judging/scores.ts'
import { planReplySchema } from '@fairgate/contracts/judging/setup.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Command } from 'commander'
import type { Static, TSchema } from 'typebox'
import { actionOptions, describePreview, dryRunOption, reasonOption, showAction } from '../actions.ts'
import { addAction, addCommand, addRequest, type CommandRow } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import { type Fields, parseInteger } from '../options.ts'
import { formatItems } from '../output/format.ts'

const help = `
The set-up of judging is in the event file, or in the console. Judges score at /judging, with the claim links.

Examples:
  $ fairgate judging plan --judges 20 --teams 60
  $ fairgate judging import judges.csv --dry-run
  $ fairgate judging links --all
  $ fairgate judging deal --dry-run
  $ fairgate judging replace jdg_… --reason "ill"
  $ fairgate judging progress
  $ fairgate judging results`

const judgeArgument = ['<judge>', 'id of the judge, as the list shows it'] as const
const whole = parseInteger(0, 10_080)

export function addJudgingCommands(program: Command, context: CommandContext): void {
  const { readInput, readTextFile } = context
  const group = program
    .command('judging')
    .description('prepare judging, watch it, and publish its results')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'plan',
    description: "calculate what the judges' time is enough for, as it is or with figures to try",
    options: [
      ['--teams <n>', 'number of teams', whole],
      ['--judges <n>', 'number of judges', whole],
      ['--per-team <n>', 'judges wanted for each team', whole],
      ['--minutes-per-team <n>', 'minutes for a team', whole],
      ['--minutes-per-judge <n>', 'minutes of a judge', whole],
    ],
    names: { teams: 'team_count', judges: 'judge_count', perTeam: 'judges_per_team' },
    request: query => ({ get: '/judging/plan', query }),
    reply: planReplySchema,
    describe: ({ sentences }) => sentences.join('\n'),
  })
  addRequest(group, context, {
    verb: 'judges',
    description: 'list the judges with their teams, conflicts and claim links',
    request: () => ({ get: '/judging/judges' }),
    reply: judgeListSchema,
    describe: describeJudges,
    list: 'items',
  })
  addCommand(
    group,
    {
      verb: 'import',
      description: 'add judges from a CSV file, or change those of the same name',
      arguments: [['<file>', 'columns name, email, tags, tracks and minutes; "-" for standard input']],
      options: [reasonOption, dryRunOption],
    },
    async (options, file = '-') => {
      const csv = file === '-' ? await readInput() : await readTextFile(file)
      const request = { post: '/judging/judges', body: { csv } }
      await showAction(context, request, options, judgeListSchema, describeJudges)
    },
  )
  addAction(group, context, {
    verb: 'links',
    description: 'create claim links and print them once; a judge who is named gets a new one',
    options: [
      ['--all', 'every judge who is there and has no working link'],
      ['--judge <a,b>', 'these judges, by id'],
      ['--expires <span>', 'time to expiry from now, such as 12h or 3d (default: 7d)'],
    ],
    names: { expires: 'duration' },
    request: ({ all, judge, ...fields }) => ({
      post: '/judging/codes',
      body: { judges: chooseJudges(all, judge), ...fields },
    }),
    reply: judgeCodesReplySchema,
    describe: describeLinks,
  })
  addAction(group, context, {
    verb: 'revoke',
    description: "end a judge's claim link and sessions",
    arguments: [judgeArgument],
    request: (_fields, judge) => ({ delete: `/judging/codes/${encodeURIComponent(judge)}` }),
    reply: judgeListSchema,
    describe: describeJudges,
  })
  addConfirmed(group, context, {
    verb: 'deal',
    description: 'deal the teams to the judges; what was begun stays',
    request: () => ({ post: '/judging/deal', body: {} }),
    reply: judgeListSchema,
    describe: describeJudges,
  })
  addConfirmed(group, context, {
    verb: 'replace',
    description: 'give the teams of an absent judge to others',
    arguments: [judgeArgument],
    request: (_fields, judge) => ({ post: '/judging/deal', body: { replace: judge } }),
    reply: judgeListSchema,
    describe: describeJudges,
  })
  addRequest(group, context, {
    verb: 'progress',
    description: 'show how far the judges are',
    request: () => ({ get: '/judging/progress' }),
    reply: progressReplySchema,
    describe: describeProgress,
    list: 'judges',
  })
  addRequest(group, context, {
    verb: 'results',
    description: 'show the ranking, and what is missing before its publication',
    request: () => ({ get: '/judging/results' }),
    reply: resultsReplySchema,
    describe: describeResults,
    list: 'teams',
  })
  addConfirmed(group, context, {
    verb: 'publish',
    description: 'publish verified results, at once or at a time',
    options: [
      ['--at <time>', 'such as 2026-11-21T18:00, in the time zone of the event'],
      ['--digest <digest>', 'of the results that were verified, as "judging results" shows it'],
    ],
    request: body => ({ post: '/judging/results/publish', body }),
    reply: resultsReplySchema,
    describe: describeResults,
  })
}

/** A change that shows its own reply. Its warnings are confirmed by a person or by --yes, for exactly the changes that were shown. */
function addConfirmed<Reply extends TSchema>(
  group: Command,
  context: CommandContext,
  { request, reply, describe, options = [], ...row }: ConfirmedRow<Reply>,
): void {
  const { ask, print, show, confirm, writeError } = context
  addCommand(
    group,
    { ...row, options: [...options, ...actionOptions] },
    async ({ reason, dry_run: dryRun, yes, ...fields }, ...given) => {
      const { post, body } = request(fields, ...given)
      const preview = await ask({ post, body: { ...body, reason, dry_run: true } }, previewReplySchema)
      if (dryRun === true) return print(preview, changes => describePreview(changes))
      if (preview.warnings.length > 0 && yes !== true) {
        writeError(`${describePreview(preview)}\n`)
        if ((await confirm('Continue? [y/N] ')) !== true)
          throw new CommandFailure(1, 'Nothing was changed. To go ahead, confirm it or add --yes.')
      }
      const confirmed = { ...body, reason, preview_id: preview.preview_id }
      await show({ post, body: confirmed }, reply, describe)
    },
  )
}

type ConfirmedRow<Reply extends TSchema> = CommandRow & {
  readonly request: (fields: Fields, ...given: string[]) => { readonly post: string; readonly body: Fields }
  readonly reply: Reply
  readonly describe: (reply: Static<Reply>) => string
}

function chooseJudges(all: unknown, judge: unknown): 'all' | readonly string[] {
  if ((all === true) === (judge !== undefined))
    throw refuseUsage('name the judges with --judge, or use --all.')
  if (judge === undefined) return 'all'
  return String(judge)
    .split(',')
    .map(id => id.trim())
    .filter(id => id !== '')
}

function describeJudges({ items }: JudgeList): string {
  return formatItems(items, 'No judges. Add them with "fairgate judging import".', {
    'JUDGE ID': 'judge_id',
    NAME: 'name',
    STATE: ({ absent }) => (absent ? 'absent' : 'there'),
    TEAMS: ({ teams }) => teams.length,
    CONFLICTS: ({ conflicts }) => conflicts.length,
    LINK: ({ link }) => link.state,
    'FIRST USED': ({ link }) => link.first_used_at,
  })
}

function describeLinks({ items }: JudgeCodesReply): string {
  if (items.length === 0) return 'Every judge already has a working link.'
  const table = formatItems(items, '', { NAME: 'name', LINK: 'url', EXPIRES: 'expires_at' })
  return `${table}\n\nThe links are not shown again.`
}

function describeProgress({ assigned, done, begun, unable, judges }: ProgressReply): string {
  const table = formatItems(judges, 'No judges.', {
    NAME: 'name',
    DONE: judge => `${judge.done} of ${judge.assigned}`,
    BEGUN: 'begun',
    UNABLE: 'unable',
    ORDER: ({ ordered }) => (ordered ? 'given' : ''),
    'LAST SAVED': 'last_at',
  })
  return `${table}\n\n${done} of ${assigned} judgements are done, ${begun} begun, ${unable} could not be made.`
}

const percent = (value: number | null) => (value === null ? null : (value * 100).toFixed(1))

function describeResults(results: ResultsReply): string {
  const { teams, missing, digest, publication, verification } = results
  const table = formatItems(teams, 'No teams.', {
    RANK: 'rank',
    TEAM: 'team_id',
    MEAN: ({ mean }) => percent(mean),
    ADJUSTED: ({ adjusted }) => percent(adjusted),
    'BY ORDER': 'place_by_order',
    JUDGES: 'judgements',
    'TO DISCUSS': ({ discuss }) => discuss.map(reason => reason.replaceAll('_', ' ')).join(', '),
  })
  const lines = [
    ...missing,
    verification?.current === true ? `Verified by ${verification.by}.` : 'Not verified.',
    publication === null
      ? 'Not published.'
      : `${publication.published ? 'Published' : 'To be published'} ${publication.at}.`,
    `digest ${digest}`,
  ]
  return `${table}\n\n${lines.join('\n')}`
}

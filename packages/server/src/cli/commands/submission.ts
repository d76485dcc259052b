// `fairgate submission …`: what teams have handed in, and which teams have not.
import {
  submissionListSchema,
  submissionStates,
  type TeamSubmission,
  teamSubmissionSchema,
} from '@fairgate/contracts/console/submissions.ts'
import { type Command, Option } from 'commander'
import { addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { formatFields, formatItems } from '../output/format.ts'

const help = `
What teams are asked for is in the event file: "submission" and the deadline "submissions_until" of a phase.

Examples:
  $ fairgate submission list
  $ fairgate submission list --state missing
  $ fairgate submission show red
  $ fairgate api GET /submissions/export.csv > submissions.csv`

export function addSubmissionCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('submission')
    .description('read what teams have handed in')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'list',
    description: 'list all teams with what they have handed in; those that have not come first',
    options: [new Option('--state <state>', 'only teams in this state').choices([...submissionStates])],
    request: ({ state }) => ({ get: '/submissions', query: { state } }),
    reply: submissionListSchema,
    describe: ({ items }) =>
      formatItems(items, 'No teams.', {
        TEAM: 'team_id',
        STATE: ({ state }) => state.replace('_', ' '),
        'HANDED IN': 'handed_in_at',
        VERSIONS: 'version',
        WHO: 'person',
        TITLE: 'title',
        REPOSITORY: 'repository',
        COMMIT: 'commit',
      }),
    list: 'items',
  })
  addRequest(group, context, {
    verb: 'show',
    description: "show a team's submission and its versions",
    arguments: [
      ['<team>', 'id of the team'],
      ['[version]', 'number of the version (default: the newest)'],
    ],
    request: (_fields, teamId, version) => ({
      get: `/submissions/${encodeURIComponent(teamId)}`,
      query: { version },
    }),
    reply: teamSubmissionSchema,
    describe: describeSubmission,
  })
}

function describeSubmission({ team_id, shown, versions, named_in_log: named }: TeamSubmission): string {
  if (shown === null) return `${team_id} has handed in nothing.`
  const seen =
    named === null
      ? null
      : `${named.repository_entries} entries of the repository, ${named.commit_entries} at the commit`
  const fields = formatFields([
    ['team', team_id],
    ['version', `${shown.version} of ${versions.length}`],
    ['handed in', shown.handed_in_at],
    ['late', shown.late ? 'yes' : 'no'],
    ['by', shown.person],
    ['title', shown.title],
    ['repository', shown.repository],
    ['commit', shown.commit],
    ['in the log', seen],
    ['demo', shown.demo_url],
    ['video', shown.video_url],
    ...shown.files.map(({ filename, file_id }) => ['file', `${filename} (${file_id})`] as const),
  ])
  return [
    fields,
    ...(shown.summary === null ? [] : [`Summary:\n${shown.summary}`]),
    ...(shown.disclosure === null ? [] : [`Disclosure:\n${shown.disclosure}`]),
  ].join('\n\n')
}

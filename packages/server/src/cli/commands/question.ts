// `fairgate question …`: what teams ask the organisers, and the answers.
import {
  type QuestionList,
  type QuestionRecord,
  questionListSchema,
  questionReplySchema,
} from '@fairgate/contracts/console/questions.ts'
import type { Command } from 'commander'
import { dryRunOption, type PlainOptions, reasonOption, showAct } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { absent, formatTable } from '../output/format.ts'

const help = `
Teams ask on their pages and read the answers there. With --all the answer is also announced to all teams, without the question.

Examples:
  $ fairgate question list --waiting
  $ fairgate question answer q_… "Yes, if it runs on your laptop."
  $ fairgate question answer q_… "The demos begin at 17:00." --all`

type ListOptions = { readonly waiting?: boolean; readonly answered?: boolean; readonly team?: string }

export function addQuestionCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program.command('question').description('what teams ask').addHelpText('after', help)
  group
    .command('list')
    .description('questions of teams, the newest first; with --waiting those that have waited longest')
    .option('--waiting', 'only those without an answer')
    .option('--answered', 'only those with one')
    .option('--team <id>', 'only of this team')
    .action(async ({ waiting, answered, team }: ListOptions) => {
      const state = waiting === answered ? undefined : waiting === true ? 'waiting' : 'answered'
      const query = { state, team_id: team, limit: 200 }
      let list = await ask({ get: '/questions', query }, questionListSchema)
      while (list.next !== null) {
        const page = await ask(
          { get: '/questions', query: { ...query, after: list.next } },
          questionListSchema,
        )
        list = { ...page, items: [...list.items, ...page.items] }
      }
      print(list, describeList)
    })
  group
    .command('answer')
    .description('answer a question, for its team or for all')
    .argument('<question>', 'its id, as the list shows it')
    .argument('<text>', 'one line of plain text')
    .option('--all', 'also announce it to all teams')
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(
      async (id: string, text: string, { all, ...options }: PlainOptions & { readonly all?: boolean }) => {
        const body = { text, audience: all === true ? 'all' : 'team' }
        const request = { post: `/questions/${encodeURIComponent(id)}/answer`, body }
        await showAct(context, request, options, questionReplySchema, describeAnswered)
      },
    )
}

function describeAnswered({ team_alias, announcement_id }: QuestionRecord): string {
  return announcement_id === null
    ? `${team_alias} reads the answer on its page.`
    : `${team_alias} reads the answer on its page, and all teams are told it (${announcement_id}).`
}

function describeList({ items }: QuestionList): string {
  if (items.length === 0) return 'No questions.'
  return formatTable(
    ['QUESTION ID', 'TEAM', 'WHO', 'ASKED', 'QUESTION', 'ANSWER'],
    items.map(({ question_id, team_id, member, asked_at, text, answer }) => [
      question_id,
      team_id,
      member?.name ?? absent,
      asked_at,
      text,
      answer ?? absent,
    ]),
  )
}

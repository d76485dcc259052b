// `fairgate question …`: questions of teams to the organisers, and the answers.
import { questionListSchema, questionReplySchema } from '@fairgate/contracts/console/questions.ts'
import type { Command } from 'commander'
import { addAction, addCommand } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { formatItems } from '../output/format.ts'

const help = `
Teams ask on their pages and read the answers there. With --all the answer is also announced to all teams, without the question.

Examples:
  $ fairgate question list --waiting
  $ fairgate question answer q_… "Yes, if it runs on your laptop."
  $ fairgate question answer q_… "The demos begin at 17:00." --all`

export function addQuestionCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  const group = program
    .command('question')
    .description('read and answer questions of teams')
    .addHelpText('after', help)
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list questions, newest first; with --waiting the oldest first',
      options: [
        ['--waiting', 'only questions without an answer'],
        ['--answered', 'only questions with an answer'],
        ['--team <id>', 'only questions of this team'],
      ],
    },
    async ({ waiting, answered, team }) => {
      const state = waiting === answered ? undefined : waiting === true ? 'waiting' : 'answered'
      const query = { state, team_id: team, limit: 200 }
      const questions = await readPages(
        after => ask({ get: '/questions', query: { ...query, after } }, questionListSchema),
        page => page.next,
      )
      print(
        questions,
        ({ items }) =>
          formatItems(items, 'No questions.', {
            'QUESTION ID': 'question_id',
            TEAM: 'team_id',
            WHO: ({ member }) => member?.name,
            ASKED: 'asked_at',
            QUESTION: 'text',
            ANSWER: 'answer',
          }),
        'items',
      )
    },
  )
  addAction(group, context, {
    verb: 'answer',
    description: 'answer a question, for its team or for all teams',
    arguments: [
      ['<question>', 'id, as the list shows it'],
      ['<text>', 'one line of plain text'],
    ],
    options: [['--all', 'also announce the answer to all teams']],
    request: ({ all }, id, text) => ({
      post: `/questions/${encodeURIComponent(id)}/answer`,
      body: { text, audience: all === true ? 'all' : 'team' },
    }),
    reply: questionReplySchema,
    describe: ({ team_alias, announcement_id }) =>
      announcement_id === null
        ? `${team_alias} sees the answer on its page.`
        : `${team_alias} sees the answer on its page, and all teams see it as announcement ${announcement_id}.`,
  })
}

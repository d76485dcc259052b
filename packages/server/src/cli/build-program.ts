// Puts the commands together into the `fairgate` program: global options, help and the order of the groups.
import { showText } from '@fairgate/contracts/text/show-hidden.ts'
import { Command, Help } from 'commander'
import { createRunAction } from './actions.ts'
import { createCommandContext } from './command-context.ts'
import { refuseUsage, runCommand } from './command-failure.ts'
import { addAdminKeyCommands, addLinkCommand } from './commands/admin-key.ts'
import { addAnnouncementCommands } from './commands/announcement.ts'
import { addApiCommand } from './commands/api.ts'
import { addApplyCommand } from './commands/apply.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addBoardCommands } from './commands/board.ts'
import { addCallCommands } from './commands/call.ts'
import { addCatalogCommands } from './commands/catalog.ts'
import { addClaimCommands } from './commands/claim.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addCorrectionCommands } from './commands/corrections.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEventCommands, addPhaseCommands } from './commands/event.ts'
import { addHandoutCommand } from './commands/handout.ts'
import { addJudgingCommands } from './commands/judging.ts'
import { addKeyCommands } from './commands/key.ts'
import { addLogsCommands } from './commands/logs.ts'
import { addMemberCommands } from './commands/member.ts'
import { addQuestionCommands } from './commands/question.ts'
import { addServeCommand } from './commands/serve.ts'
import { addSpendCommands } from './commands/spend.ts'
import { addSubmissionCommands } from './commands/submission.ts'
import { addTeamCommands } from './commands/team.ts'
import { addTokenCommands } from './commands/token.ts'
import type { ProgramDependencies } from './dependencies.ts'
import { borrowExamples, layOutHelp, moveOptionsDown } from './output/lay-out-help.ts'

const help = `
The admin key comes from FAIRGATE_ADMIN_KEY, otherwise from the file admin-key in FAIRGATE_DATA_DIR (./data).
With --json every list is {"items": […], "next": …}. On a terminal tables are cut to its width; in a pipe they are whole.
PAGER and NO_COLOR are respected.

Examples:
  $ fairgate serve
  $ fairgate link
  $ fairgate doctor
  $ fairgate team new --id team-01 --budget 50 --budget-duration 1d --rpm 60
  $ fairgate key generate team-01 --alias laptop --duration 30d
  $ fairgate token generate team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate apply event.yaml --dry-run
  $ fairgate event pause --reason "fire alarm"
  $ fairgate phase now
  $ fairgate announce "Lunch is served in hall 2."
  $ fairgate call list team-01 --outcome refused
  $ fairgate spend top
  $ fairgate logs list team-01
  $ fairgate logs verify
  $ fairgate api GET /attention

Use "fairgate <command> --help" for the options and examples of a command.
Exit codes: 0 done; 1 refused, or a check failed; 2 wrong usage; 3 admin door not reached.`

export function buildProgram(given: ProgramDependencies): Command {
  // Any output may have names and messages that others wrote.
  const dependencies: ProgramDependencies = {
    ...given,
    writeOutput: text => given.writeOutput(showText(text)),
    writeError: text => given.writeError(showText(text)),
  }
  const program = new Command('fairgate')
    .description('run and manage the gateway of an AI competition')
    .version(dependencies.version, '--version', 'print the version')
    .option(
      '--url <url>',
      'address of the admin door (default: FAIRGATE_ADMIN_URL; else FAIRGATE_ADMIN_HOST and FAIRGATE_ADMIN_PORT, 127.0.0.1 and 4002)',
    )
    .option('--json', 'print JSON: indented on a terminal, compact in a pipe')
    .exitOverride()
    .configureOutput({
      writeOut: text => given.writeOutput(layOutHelp(showText(text), given.layout)),
      writeErr: dependencies.writeError,
      getOutHelpWidth: () => given.layout.width ?? 80,
    })
    // As in gh, commands are listed by name alone: their arguments would leave no room for descriptions at 80 columns.
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      subcommandTerm: command => command.name(),
      styleTitle: title => title.replace('Global Options', 'Global options'),
      formatHelp: (command, helper) =>
        moveOptionsDown(Help.prototype.formatHelp.call(helper, command, helper)) + borrowExamples(command),
    })
    .showHelpAfterError('(add --help for the arguments and options)')
    .addHelpText('after', help)
  const whole = { ...dependencies, ...createCommandContext(program, dependencies, given) }
  const context = { ...whole, given, runAction: createRunAction(whole) }
  program.commandsGroup('Server commands:')
  addServeCommand(program, context)
  addDoctorCommand(program, context)
  addLinkCommand(program, context)
  addAdminKeyCommands(program, context)
  addCatalogCommands(program, context)
  addBackupCommands(program, context)
  program.commandsGroup('Event commands:')
  addEventCommands(program, context)
  addPhaseCommands(program, context)
  addApplyCommand(program, context)
  addAnnouncementCommands(program, context)
  addQuestionCommands(program, context)
  addSubmissionCommands(program, context)
  addJudgingCommands(program, context)
  program.commandsGroup('Team commands:')
  addTeamCommands(program, context)
  addMemberCommands(program, context)
  addKeyCommands(program, context)
  addTokenCommands(program, context)
  addClaimCommands(program, context)
  addHandoutCommand(program, context)
  program.commandsGroup('Spend and logbook commands:')
  addCallCommands(program, context)
  addSpendCommands(program, context)
  addCorrectionCommands(program, context)
  addLogsCommands(program, context)
  addBoardCommands(program, context)
  program.commandsGroup('Additional commands:')
  addApiCommand(program, context)
  addCompletionCommand(program, context)
  program.helpCommand('help [command]', 'show help for a command')
  return program
}

/** Commands of earlier versions, which only repeated what the console shows → their route. */
const removed: Readonly<Record<string, string>> = {
  wall: '/wall_tokens',
  webhook: '/webhooks',
  note: '/notes',
  timeline: '/timeline',
  session: '/sessions',
  recorder: '/recorders',
  coverage: '/coverage',
}

/** Without arguments it helps. See `runCommand`. */
export function runProgram(
  program: Command,
  commandArguments: readonly string[],
  writeError: (text: string) => void,
): ReturnType<typeof runCommand> {
  const name = commandArguments.find(argument => !argument.startsWith('-')) ?? ''
  // The library would suggest "call" for "wall".
  if (Object.hasOwn(removed, name))
    program.on('command:*', () => {
      throw refuseUsage(
        `"fairgate ${name}" is gone. Use: fairgate api GET ${removed[name]} (see fairgate api --help)`,
      )
    })
  return runCommand(program, commandArguments.length === 0 ? ['--help'] : commandArguments, writeError)
}

// `fairgate completion SHELL`: prints the script that completes commands and options at the Tab key.
import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { type Shell, shells, writeCompletion } from '../output/write-completion.ts'

const help = `
Run it again after an update.

Examples:
  $ source <(fairgate completion bash)    # for all terminals: in ~/.bashrc
  $ source <(fairgate completion zsh)     # after compinit, in ~/.zshrc
  $ fairgate completion fish > ~/.config/fish/completions/fairgate.fish`

export function addCompletionCommand(program: Command, { writeOutput }: CommandContext): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => writeOutput(writeCompletion(program, shell)))
}

// Writes shell completion scripts from the table of commands. They do not call `fairgate`, which starts too slowly for each Tab.
import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

type Word = { readonly word: string; readonly description: string }
type Flag = Word & {
  /** Null for an option without a value; empty if any value is allowed. */
  readonly values: readonly string[] | null
  readonly isFile: boolean
}
/** A command at its place: `fairgate team new`. */
type Place = { readonly path: string; readonly verbs: readonly Word[]; readonly flags: readonly Flag[] }

export function writeCompletion(program: Command, shell: Shell): string {
  const places = listPlaces(program, program.name(), listFlags(program))
  if (shell === 'bash') return writeBash(places)
  return shell === 'zsh' ? writeZsh(places) : writeFish(places)
}

/** `shared`: options of the program, which every command takes. */
function listPlaces(command: Command, path: string, shared: readonly Flag[]): readonly Place[] {
  const isProgram = command.parent === null
  const verbs = command.commands.map(one => ({ word: one.name(), description: one.description() }))
  // An argument with choices completes like a verb.
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map(word => ({ word, description })),
  )
  const own = isProgram ? [] : listFlags(command)
  const here = { path, verbs: [...verbs, ...choices], flags: [...own, ...shared] }
  return [here, ...command.commands.flatMap(one => listPlaces(one, `${path} ${one.name()}`, shared))]
}

function listFlags(command: Command): readonly Flag[] {
  return command.options
    .filter(({ hidden, long }) => !hidden && long !== null && long !== undefined)
    .map(option => ({
      word: option.long ?? '',
      description: option.description,
      values: takesValue(option) ? (option.argChoices ?? []) : null,
      isFile: /<(?:file|folder)>/.test(option.flags),
    }))
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

const help: Word = { word: '--help', description: 'display help for command' }

/** The paths below the program, by which a script finds its place on the line. */
function listPaths(places: readonly Place[]): readonly string[] {
  return places.map(({ path }) => path).filter(path => path.includes(' '))
}

/** Option after its command → its values, for options with a fixed set. */
function listChoices(
  places: readonly Place[],
): readonly { readonly at: string; readonly values: readonly string[] }[] {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, values }) =>
      values === null || values.length === 0 ? [] : [{ at: `${path} ${word}`, values }],
    ),
  )
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** `first`: index of the first word after the name of the program. */
function writeWalk(places: readonly Place[], words: string, first: number, end: string): string {
  const patterns = listPaths(places).map(path => `"${path}"`)
  return `  local path_=fairgate i
  for ((i = ${first}; i < ${end}; i++)); do
    case "$path_ \${${words}[i]}" in
      ${patterns.join('|')}) path_="$path_ \${${words}[i]}" ;;
    esac
  done`
}

function writeBash(places: readonly Place[]): string {
  const choices = listChoices(places).map(
    ({ at, values }) => `    "${at}") candidates="${values.join(' ')}" ;;`,
  )
  const words = places.map(({ path, verbs, flags }) => {
    const all = [...verbs, ...flags, help].map(({ word }) => word)
    return `    "${path}") candidates="${all.join(' ')}" ;;`
  })
  return `# Completion of fairgate for bash: source <(fairgate completion bash)
_fairgate() {
  local candidates=""
${writeWalk(places, 'COMP_WORDS', 1, 'COMP_CWORD')}
  case "$path_" in
${words.join('\n')}
  esac
  case "$path_ \${COMP_WORDS[COMP_CWORD - 1]}" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fairgate fairgate
`
}

function writeZsh(places: readonly Place[]): string {
  const list = (words: readonly Word[]) =>
    words.map(({ word, description }) => quote(`${word}:${description}`)).join(' ')
  const cases = places.map(
    ({ path, verbs, flags }) => `    "${path}") verbs=(${list(verbs)}); flags=(${list([...flags, help])}) ;;`,
  )
  const choices = listChoices(places).map(
    ({ at, values }) => `    "${at}") compadd -- ${values.map(quote).join(' ')}; return ;;`,
  )
  return `#compdef fairgate
# Completion of fairgate for zsh: source <(fairgate completion zsh)
_fairgate() {
  local -a verbs flags
${writeWalk(places, 'words', 2, 'CURRENT')}
  case "$path_" in
${cases.join('\n')}
  esac
  case "$path_ \${words[CURRENT - 1]}" in
${choices.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option flags
  elif (( \${#verbs} )); then _describe command verbs
  else _files
  fi
}
if [[ "\${funcstack[1]}" == _fairgate ]]; then _fairgate "$@"; else compdef _fairgate fairgate; fi
`
}

function writeFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, verbs, flags }) => {
    const at = `complete -c fairgate -n ${quote(`__fairgate_at "${path}"`)}`
    return [
      // File names are useful only if no verb can follow.
      ...(verbs.length > 0 ? [`${at} -f`] : []),
      ...verbs.map(({ word, description }) => `${at} -a ${word} -d ${quote(description)}`),
      ...[...flags, { ...help, values: null, isFile: false }].map(({ word, description, values, isFile }) => {
        const value =
          values === null
            ? ''
            : values.length > 0
              ? ` -x -a ${quote(values.join(' '))}`
              : isFile
                ? ' -r'
                : ' -x'
        return `${at} -l ${word.slice(2)}${value} -d ${quote(description)}`
      }),
    ]
  })
  return `# Completion of fairgate for fish: fairgate completion fish | source
function __fairgate_at
    set -l place fairgate
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case ${listPaths(places).map(quote).join(' ')}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

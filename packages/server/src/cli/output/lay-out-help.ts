// Lays out help on a terminal: prose fits its width and headings are bold. Examples and tables of options keep their lines.
import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import type { Layout } from './format.ts'

/** Moves the options below the commands, which most readers look for. */
export function moveOptionsDown(help: string): string {
  const blocks = help.trimEnd().split('\n\n')
  const isOptions = (block: string) => /^(?:Global )?[Oo]ptions:\n/.test(block)
  return `${[...blocks.filter(block => !isOptions(block)), ...blocks.filter(isOptions)].join('\n\n')}\n`
}

/** The group's examples of a command that has none of its own; empty if there are none. */
export function borrowExamples(command: Command): string {
  if (command.commands.length > 0 || command.parent === null || readAfterHelp(command).includes('Examples:'))
    return ''
  const call = `fairgate ${command.parent.name()} ${command.name()}`
  const lines = readAfterHelp(command.parent).split('\n')
  const examples = lines.filter(line => line.startsWith('  $ ') && `${line} `.includes(`${call} `))
  return examples.length === 0 ? '' : `\nExamples:\n${examples.join('\n')}\n`
}

/** Commander keeps this text in a listener. */
function readAfterHelp(command: Command): string {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  // Its types leave out that a command is an emitter.
  const emitter = command as unknown as EventEmitter
  emitter.emit('afterHelp', { error: false, command, write })
  return text
}

/** In a pipe the text stays as it is. */
export function layOutHelp(text: string, { width, isColoured }: Layout): string {
  const lines = width === null ? text.split('\n') : wrapProse(text.split('\n'), width)
  if (!isColoured) return lines.join('\n')
  return lines.map(line => line.replace(/^(?:Usage:|[A-Z][A-Za-z ]*:$)/, '\u001b[1m$&\u001b[0m')).join('\n')
}

/** A paragraph ends with a line that ends a sentence. One that fits stays as it is written. */
function wrapProse(lines: readonly string[], width: number): readonly string[] {
  const wrapped: string[] = []
  let paragraph: string[] = []
  const end = () => {
    const fits = paragraph.every(line => Bun.stringWidth(line) <= width)
    wrapped.push(...(fits ? paragraph : wrapLine(paragraph.join(' '), width)))
    paragraph = []
  }
  for (const line of lines) {
    if (line !== '' && !line.startsWith(' ') && !line.endsWith(':')) {
      paragraph.push(line)
      if (line.endsWith('.')) end()
      continue
    }
    end()
    wrapped.push(line)
  }
  end()
  return wrapped
}

/** Breaks at spaces. A longer word stays whole. */
export function wrapLine(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && Bun.stringWidth(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

// Writes a stream of rows from the admin door, as NDJSON or CSV, to a file or standard output, and shows progress.
import { showJson, showText } from '@fairgate/contracts/text/show-hidden.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, refuseUsage } from '../command-failure.ts'
import type { OutputFile, ProgramDependencies } from '../dependencies.ts'
import type { AdminQuery } from '../door/call-admin-door.ts'

export type ExportFormat = 'ndjson' | 'csv'

const mediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const

export const fileOptions = [
  ['-o, --output <file>', 'write to this file, which appears only when it is complete'],
  ['--force', 'overwrite an existing file'],
] as const
export const markOption = ['--bom', 'begin CSV with the byte order mark that Excel needs for UTF-8'] as const

export type TargetOptions = { readonly output?: string; readonly force?: boolean; readonly bom?: boolean }

/** `format`: if absent, the name of the file decides. Throws CommandFailure 2 for options that exclude each other. */
export function planTarget({ output, force = false, bom }: TargetOptions, format?: ExportFormat) {
  const chosen = format ?? (output?.toLowerCase().endsWith('.csv') === true ? 'csv' : 'ndjson')
  if (bom === true && chosen !== 'csv') throw refuseUsage('--bom is for CSV only.')
  if (force && output === undefined) throw refuseUsage('--force is for --output only.')
  return { format: chosen, file: output ?? null, mayReplace: force, bom }
}

type StreamPlan = ReturnType<typeof planTarget> & {
  /** Without the extension, which is that of the format. */
  readonly path: string
  readonly query: AdminQuery
  /** Noun for the rows. */
  readonly rows: string
}

/** Throws CommandFailure; an incomplete file is removed. */
export async function writeStream(
  { stream, given: surroundings }: Pick<CommandContext, 'stream' | 'given'>,
  plan: StreamPlan,
): Promise<void> {
  const { isTerminal, writeError, stopwatch } = surroundings
  const query = { ...plan.query, bom: plan.bom }
  const pieces = await stream(`${plan.path}.${plan.format}`, query, mediaTypes[plan.format])
  const file = plan.file === null ? null : await openOutputFile(surroundings, plan.file, plan.mayReplace)
  const write = file === null ? createOutput(surroundings, plan.format) : createFileOutput(file)
  const counter = createRowCounter(plan.format)
  const begun = stopwatch()
  let bytes = 0
  let shownAt = begun
  const describe = () => `${group(counter.rows())} ${plan.rows}, ${(bytes / 1e6).toFixed(1)} MB`
  // On one terminal, lines of progress would get between those of the rows.
  const mayShow = isTerminal.errors && (file !== null || !isTerminal.output)
  try {
    for await (const piece of pieces) {
      if (!(await write(piece))) return
      counter.take(piece)
      bytes += piece.length
      if (!mayShow || stopwatch() - shownAt < 200) continue
      shownAt = stopwatch()
      writeError(`\r${describe()}`)
    }
    await file?.keep()
  } catch (error) {
    await file?.discard()
    if (mayShow) writeError('\n')
    throw error
  }
  if (mayShow) writeError('\r')
  const target = plan.file === null ? '' : ` in ${plan.file}`
  if (mayShow || file !== null)
    writeError(`${describe()}${target}, ${((stopwatch() - begun) / 1000).toFixed(1)} s\n`)
}

function createFileOutput(file: OutputFile): WritePiece {
  return async bytes => {
    try {
      await file.write(bytes)
      return true
    } catch (cause) {
      throw new CommandFailure(1, `Cannot write the file (${codeOf(cause)}). It was removed.`)
    }
  }
}

/** Throws CommandFailure 2 if the file exists already or cannot be created. */
export async function openOutputFile(
  { createFile }: Pick<ProgramDependencies, 'createFile'>,
  path: string,
  mayReplace: boolean,
  hint = ', or add --force',
): Promise<OutputFile> {
  try {
    return await createFile(path, mayReplace)
  } catch (cause) {
    const code = codeOf(cause)
    throw code === 'EEXIST'
      ? refuseUsage(`${path} already exists. Choose another name${hint}.`)
      : refuseUsage(`cannot create ${path} (${code}).`)
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}

/** `300,000` */
function group(count: number): string {
  return count.toLocaleString('en-US')
}

const newline = 10
const quote = 34

/** Counts lines of NDJSON, or rows of CSV without the header. A CSV cell may hold line breaks between quotation marks. */
function createRowCounter(format: ExportFormat) {
  let rows = format === 'csv' ? -1 : 0
  let isQuoted = false
  return {
    take: (bytes: Uint8Array) => {
      for (const byte of bytes) {
        if (byte === newline && !isQuoted) rows += 1
        else if (byte === quote && format === 'csv') isQuoted = !isQuoted
      }
    },
    rows: () => Math.max(0, rows),
  }
}

/** False once the reader is gone. */
export type WritePiece = (bytes: Uint8Array) => Promise<boolean>

export function createOutput(
  { isTerminal, writeBytes }: Pick<ProgramDependencies, 'isTerminal' | 'writeBytes'>,
  format: 'ndjson' | 'csv',
): WritePiece {
  if (!isTerminal.output) return writeBytes
  const guard = createTerminalGuard(format)
  return bytes => writeBytes(guard(bytes))
}

/**
 * Foreign texts in entries may hold terminal control characters. NDJSON means the same after this; CSV shows what is hidden. A chunk may end
 * within a character.
 */
function createTerminalGuard(format: 'ndjson' | 'csv'): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const show = format === 'ndjson' ? showJson : (text: string) => showText(text.replaceAll('\r\n', '\n'))
  return bytes => encoder.encode(show(decoder.decode(bytes, { stream: true })))
}

// Shows a page. On a terminal, a long page goes through the reader's pager, as in git.
import type { Screen } from './screen.ts'

/** Never rejects. The text is written as it is. */
export async function showPage(
  text: string,
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const pager = choosePager(text, screen, environment)
  if (pager === null || !(await runPager(pager, text, environment))) process.stdout.write(text)
}

/** The pager's command line; null when none is wanted or needed. */
export function choosePager(
  text: string,
  { isTerminal, height }: Screen,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const isLong = text.split('\n').length > height
  if (!isTerminal || !isLong || environment.TERM === 'dumb') return null
  // Windows has no pager that supports colours.
  const usual = environment.OS === 'Windows_NT' ? '' : 'less'
  const pager = (environment.PAGER ?? usual).trim()
  return pager === '' || pager === 'cat' ? null : pager
}

/** False when the pager could not be started and has shown nothing. */
async function runPager(
  pager: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  return await new Promise(resolve => {
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'ignore'],
      // The same options as in git: colours, no paging for a page that fits, and the page stays on the screen.
      env: { ...environment, LESS: environment.LESS ?? 'FRX', LV: environment.LV ?? '-c' },
    })
    // The interrupt key is for the pager.
    const ignore = () => undefined
    process.on('SIGINT', ignore)
    const end = (wasShown: boolean) => {
      process.off('SIGINT', ignore)
      resolve(wasShown)
    }
    child.on('error', () => end(false))
    // A shell answers 126 and 127 for a program that it cannot start.
    child.on('close', code => end(code !== 127 && code !== 126))
    // The reader may quit before the pager has read everything.
    child.stdin.on('error', ignore)
    child.stdin.end(text)
  })
}

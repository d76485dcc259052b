// Help on a terminal: nothing is wider than it, commands come in groups, and headings are bold.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'
import { layOutHelp } from './lay-out-help.ts'

const layout = { width: 80, height: 24, isColoured: false }

test('prose is wrapped; in a pipe it stays as it is', () => {
  const text = `${'word '.repeat(20)}end.\nShort.\n\nExamples:\n  $ fairgate link`
  const lines = layOutHelp(text, layout).split('\n')
  expect(lines).toEqual([
    `${'word '.repeat(15)}word`,
    `${'word '.repeat(4)}end.`,
    ...text.split('\n').slice(1),
  ])
  expect(layOutHelp(text, { ...layout, width: null })).toBe(text)
})

test('headings are bold on a terminal with colours only', async () => {
  const { stdout } = await runCli(['team', '--help'], [], { layout: { ...layout, isColoured: true } })
  expect(stdout).toContain('\u001b[1mExamples:\u001b[0m')
  expect((await runCli(['team', '--help'], [], { layout })).stdout).not.toContain('\u001b')
})

test('no help is wider than 80 columns', async () => {
  const { stdout } = await runCli(['--help'], [], { layout })
  expect(stdout.indexOf('Server commands:')).toBeLessThan(stdout.indexOf('\nOptions:'))
  const { stdout: script } = await runCli(['completion', 'bash'])
  const paths = [...script.matchAll(/^ {4}"fairgate((?: [a-z][a-z-]*)*)"\) candidates=/gm)].map(
    ([, path = '']) => path.split(' ').filter(word => word !== ''),
  )
  expect(paths.length).toBeGreaterThan(80)
  const wide: string[] = []
  for (const path of paths) {
    const help = (await runCli([...path, '--help'], [], { layout })).stdout
    wide.push(...help.split('\n').filter(line => Bun.stringWidth(line) > 80))
  }
  expect(wide).toEqual([])
})

test('every command shows an example, its own or one of its group', async () => {
  const { stdout } = await runCli(['key', 'unblock', '--help'])
  expect(stdout).toEndWith('\nExamples:\n  $ fairgate key unblock 5f2c91\n')
})

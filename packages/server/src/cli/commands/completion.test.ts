// `fairgate completion`: the output is run by the shells themselves, if installed.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

async function completeInBash(line: readonly string[]): Promise<readonly string[]> {
  const { stdout: script } = await runCli(['completion', 'bash'])
  const source = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fairgate; printf '%s\\n' "\${COMPREPLY[@]}"`
  const run = Bun.spawnSync(['bash', '-c', source, 'bash', ...line])
  expect(run.stderr.toString()).toBe('')
  return run.stdout.toString().trim().split('\n')
}

test.skipIf(Bun.which('bash') === null)('bash completes verbs, options and their values', async () => {
  expect(await completeInBash(['fairgate', 'te'])).toEqual(['team'])
  expect(await completeInBash(['fairgate', 'event', 're'])).toEqual(['resume', 'reopen'])
  expect(await completeInBash(['fairgate', '--json', 'team', 'new', '--budget-'])).toEqual([
    '--budget-duration',
  ])
  expect(await completeInBash(['fairgate', 'team', 'list', '--u'])).toEqual(['--url'])
  expect(await completeInBash(['fairgate', 'member', 'remove', 'mb_1', '--keys', ''])).toEqual([
    'block',
    'keep',
  ])
  expect(await completeInBash(['fairgate', 'completion', ''])).toContain('fish')
  // A team called "list" is no verb.
  expect(await completeInBash(['fairgate', 'team', 'show', 'list', '--h'])).toEqual(['--help'])
})

test.each(['bash', 'zsh', 'fish'] as const)('%s uses the script', async shell => {
  const { exitCode, stdout } = await runCli(['completion', shell])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('fairgate announcement list')
  const program = Bun.which(shell)
  if (program === null) return
  const run = Bun.spawnSync([program, '-n'], { stdin: Buffer.from(stdout) })
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ''])
})

test('another shell is refused', async () => {
  const { exitCode, stderr } = await runCli(['completion', 'cmd'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish')
})

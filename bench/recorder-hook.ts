// `npm run bench:recorder`: measures how long an AI tool waits for a hook, from process start to end, compared with Node doing nothing.
//
// BENCH_RUNS sets how often each hook is measured (200).
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleRecorder } from '../packages/recorder/build/build-program.ts'
import { buildExecutable, findOwnTarget } from '../packages/recorder/build/executables.ts'
import { launcherPath, writeLauncher } from '../packages/recorder/src/install/program/launcher.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'

console.log('Compares the recorder hooks with Node running an empty program. AI tools wait for every hook.\n')

const runs = Number(process.env.BENCH_RUNS ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'fairgate-bench-'))
const [home, root] = [join(folder, 'home'), join(folder, 'project')]
const variables = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }

function run(command: readonly string[], input = ''): number {
  const began = performance.now()
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    cwd: root,
    env: variables,
    stdin: Buffer.from(input),
  })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return performance.now() - began
}

const text = 'All human beings are born free and equal in dignity and rights. '
const transcript = join(home, '.claude', 'projects', 'p', 'session.jsonl')
const base = { session_id: 'session', cwd: root }
const prompt = JSON.stringify({ ...base, turn_id: 't', model: 'm', prompt: text.repeat(10) })
/** A repository with a condition in its configuration that only git can evaluate. */
const conditional = join(folder, 'conditional')
const elsewhere = JSON.stringify({ ...JSON.parse(prompt), cwd: conditional })
const call = JSON.stringify({
  ...base,
  transcript_path: transcript,
  tool_name: 'Write',
  tool_input: { file_path: 'a.ts', content: text.repeat(3000) },
  tool_response: { stdout: text.repeat(1000) },
  tool_use_id: 'toolu_{{round}}',
})
/** A rollout in which every turn has added a megabyte of commands. */
const rollout = join(folder, 'rollout.jsonl')
const turnEnd = JSON.stringify({ ...base, turn_id: 't', model: 'm', transcript_path: rollout })
const rolloutPart = Array.from({ length: 256 }, (_, index) => {
  const head = { timestamp: '2026-03-01T05:00:00.000Z', type: 'response_item' }
  const call = { call_id: `call_${index}`, name: 'exec_command', arguments: '{"cmd":"make"}' }
  const output = `Chunk ID: 1\nProcess running with session ID 1\nOutput:\n${text.repeat(60)}`
  return [
    { ...head, payload: { type: 'function_call', ...call } },
    { ...head, payload: { type: 'function_call_output', call_id: call.call_id, output } },
  ]
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
}).join('')

try {
  for (const path of [root, join(home, '.claude', 'projects', 'p')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = S\n\temail = student@example.org\n')
  for (const place of [root, conditional]) {
    run(['git', 'init', '-q', place])
    run(['git', '-C', place, 'remote', 'add', 'origin', 'https://host/team/project.git'])
    run(['git', '-C', place, 'commit', '-q', '--allow-empty', '-m', 'first'])
  }
  run(['git', '-C', conditional, 'config', 'includeIf.onbranch:x.path', 'none'])
  const message = { role: 'assistant', model: 'm', content: [{ type: 'text', text: text.repeat(20) }] }
  const line = JSON.stringify({ type: 'assistant', timestamp: '2026-03-01T05:00:00.000Z', message })
  writeFileSync(transcript, `${line}\n`.repeat(8000))
  const recorder = await bundleRecorder(folder)
  const nothing = join(folder, 'nothing.cjs')
  writeFileSync(nothing, '')

  // The script that a tool's settings point to; it finds Node and the recorder.
  const launcher = launcherPath(folder)
  writeFileSync(launcher, writeLauncher({ runtime: Bun.which('node') ?? 'node', file: recorder }, home))
  chmodSync(launcher, 0o755)
  const target = findOwnTarget(process.platform, process.arch)
  const program = target === null ? null : await buildExecutable(target, folder)
  const programLauncher = join(folder, 'starts-program')
  if (program !== null) {
    writeFileSync(programLauncher, writeLauncher({ runtime: program, file: null }, home))
    chmodSync(programLauncher, 0o755)
  }

  const hook = (tool: string, event: string) => ['node', recorder, 'hook', tool, event]
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['node, an empty program', ['node', nothing], ''],
    ['a prompt', hook('codex', 'UserPromptSubmit'), prompt],
    ['a prompt, as installed', [launcher, 'hook', 'codex', 'UserPromptSubmit'], prompt],
    ...(program === null
      ? []
      : ([
          [
            'a prompt, as installed, stand-alone program',
            [programLauncher, 'hook', 'codex', 'UserPromptSubmit'],
            prompt,
          ],
        ] as const)),
    ['a tool call of 260 kB, transcript of 10 MB', hook('claude', 'PostToolUse'), call],
    ['the end of a turn, 1 MB of rollout', hook('codex', 'Stop'), turnEnd],
    ['a prompt where git itself must be asked', [...hook('codex', 'UserPromptSubmit')], elsewhere],
  ]
  const node = Bun.spawnSync(['node', '--version']).stdout.toString().trim()
  const times = new Map<string, number[]>(cases.map(([name]) => [name, []]))
  // Takes turns, so that a busy moment of the machine affects all hooks.
  for (let round = 0; round < runs; round += 1) {
    appendFileSync(rollout, rolloutPart)
    for (const [name, command, input] of cases) {
      times.get(name)?.push(run(command, input.replaceAll('{{round}}', String(round))))
    }
  }
  console.log(`node ${node}, ${runs} runs each                        p50       p95`)
  const rows = [...times].map(([name, values]) => {
    const [p50, p95] = [percentile(values, 0.5), percentile(values, 0.95)]
    console.log(`${name.padEnd(44)} ${p50.toFixed(1).padStart(6)} ms ${p95.toFixed(1).padStart(6)} ms`)
    return { name, p50: Number(p50.toFixed(1)), p95: Number(p95.toFixed(1)) }
  })
  const countIn = (place: string) => readdirSync(join(place, '.git', 'fairgate', 'pending')).length
  const waiting = countIn(root) + countIn(conditional)
  const expected = runs * (cases.length - 1)
  if (waiting !== expected) throw new Error(`Only ${waiting} of ${expected} entries were recorded.`)
  recordResults('recorder-hook', { runs, node }, rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

// The sessions that every agent goes through: what is typed, what the model then says, and which entries must result.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkPlace } from '../packages/recorder/journeys/testing/work-place.ts'
import { recipes } from '../packages/recorder/src/install/settings/find-recipe.ts'
import { tools } from '../packages/recorder/src/tools/find-tool.ts'
import type { Script } from './model-server/script.ts'
import type { Agent, ExpectedEntry, ShellCall } from './programs/agent.ts'

export type Session = {
  /** Where the agent is started. */
  readonly folder: string
  /** What is typed. */
  readonly prompt: string
  readonly scripts: readonly Script[]
  readonly expected: readonly ExpectedEntry[]
  /** Further arguments of `init`. */
  readonly initWords?: readonly string[]
  /** A line that `status` must show. */
  readonly told?: string
}

export type Case = {
  readonly name: string
  /** The case is skipped for agents about which it would show nothing. */
  readonly concerns: (agent: Agent) => boolean
  /** null when this agent cannot run the case. */
  readonly isMissing: (agent: Agent) => string | null
  readonly prepare: (agent: Agent, place: WorkPlace) => Promise<Session>
}

type Call = ShellCall & { readonly output: string }

const answer = 'All of it is done.'

/** A session with only shell commands. */
function shellSession(agent: Agent, folder: string, prompt: string, calls: readonly Call[]): Session {
  return {
    folder,
    prompt,
    scripts: [{ prompt, steps: [...calls.map(agent.shell), { kind: 'answer', text: answer }] }],
    expected: wrap(
      agent,
      prompt,
      calls.map(call => expectCall(agent, call)),
    ),
  }
}

function wrap(agent: Agent, prompt: string, middle: readonly ExpectedEntry[]): ExpectedEntry[] {
  const { start, prompt: asked, stop, end } = agent.events
  return [
    ...(start === null ? [] : [{ event: start }]),
    { event: asked, prompt },
    ...middle,
    { event: stop, response_summary: answer },
    ...(end === null ? [] : [{ event: end }]),
  ]
}

function expectCall(agent: Agent, { command, output }: Call): ExpectedEntry {
  return { event: agent.events.call, toolName: agent.shellName, command, output }
}

const everywhere = () => null
const everyAgent = () => true

const plain: Case = {
  name: 'plain',
  concerns: everyAgent,
  isMissing: everywhere,
  prepare: async (agent, { root }) =>
    shellSession(agent, root, 'Say "hello", ünïcode and all.', [
      { command: 'echo hello from the shell', output: 'hello from the shell' },
      { command: "printf 'one\\ntwo\\n'", output: 'one\ntwo' },
    ]),
}

/** A submodule that exists from the start, a repository that is created in the session, and a clone. */
const nested: Case = {
  name: 'nested',
  concerns: everyAgent,
  isMissing: everywhere,
  prepare: async (agent, place) => {
    const { root, folder } = place
    const library = join(folder, 'library')
    await place.git(['init', '-q', library], folder)
    await place.git(['commit', '-q', '--allow-empty', '-m', 'library'], library)
    await place.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    await place.git(['commit', '-q', '-m', 'with a submodule'])
    const enter = (name: string, command: string): Call[] => [
      { command: `${command}cd ${join(root, name)} && echo now in ${name}`, output: `now in ${name}` },
      { command: `echo still for ${name}`, folder: name, output: `still for ${name}` },
    ]
    return shellSession(agent, root, 'Work in the repositories within this one.', [
      ...enter('lib', ''),
      ...enter('web', `git init -q ${join(root, 'web')} && `),
      ...enter('copy', `git clone -q ${library} ${join(root, 'copy')} && `),
      { command: `cd ${folder} && echo outside`, output: 'outside' },
    ])
  },
}

/** Its settings were there before and are not committed yet: the hooks then find the recorder by git, also after `cd` into a submodule. */
const ownSettings: Case = {
  ...nested,
  name: 'own-settings',
  prepare: async (agent, place) => {
    const session = await nested.prepare(agent, place)
    place.write(join(place.root, ...recipes[agent.tool].file), '{}\n')
    return session
  },
}

const subagent: Case = {
  name: 'subagent',
  concerns: everyAgent,
  isMissing: agent => (agent.delegate === null ? 'its subagents were not tried here' : null),
  prepare: async (agent, { root }) => {
    const prompt = 'Let a helper look into it.'
    const task = 'You are the helper: look into it.'
    const finding = 'The helper has found it.'
    const call: Call = { command: 'echo the helper looks', output: 'the helper looks' }
    const handOver = agent.delegate?.(task)
    if (handOver === undefined) throw new Error('unreachable')
    const { events } = agent
    return {
      folder: root,
      prompt,
      scripts: [
        { prompt, steps: [handOver, { kind: 'answer', text: answer }] },
        { prompt: task, steps: [agent.shell(call), agent.finish(finding)] },
      ],
      expected: wrap(agent, prompt, [
        { event: events.call, toolName: handOver.tool, output: finding },
        expectCall(agent, call),
        ...events.subagent(task, finding),
      ]),
    }
  },
}

const unreported: Case = {
  name: 'unreported',
  concerns: agent => agent.unreported('').length > 0,
  isMissing: everywhere,
  prepare: async (agent, { root }) => {
    const prompt = 'Do what no hook reports.'
    const calls = agent.unreported(root)
    return {
      folder: root,
      prompt,
      scripts: [{ prompt, steps: [...calls.map(({ step }) => step), { kind: 'answer', text: answer }] }],
      expected: wrap(
        agent,
        prompt,
        calls.map(({ entry }) => entry),
      ),
    }
  },
}

const subfolder: Case = {
  name: 'subfolder',
  concerns: everyAgent,
  isMissing: everywhere,
  prepare: async (agent, { root }) => {
    const folder = join(root, 'src')
    mkdirSync(folder)
    const session = shellSession(agent, folder, 'Work from a subfolder.', [
      { command: 'echo from a subfolder', output: 'from a subfolder' },
    ])
    const told = `missed   ${agent.tool}: 1 session was started in the subfolder src and not recorded`
    return agent.runsHooksBelow ? session : { ...session, expected: [], told }
  },
}

/** With hooks in the user's settings, which must not run a second time at the top. */
const widened = (name: string, folderName: string): Case => ({
  name,
  concerns: ({ tool }) => tools[tool].userSettings !== undefined,
  isMissing: everywhere,
  prepare: async (agent, { root }) => {
    const folder = join(root, folderName)
    mkdirSync(folder, { recursive: true })
    const call = { command: 'echo recorded once', output: 'recorded once' }
    const session = shellSession(agent, folder, 'Work where the user has hooks of his own.', [call])
    return { ...session, initWords: ['--subfolders'] }
  },
})

export const cases: readonly Case[] = [
  plain,
  nested,
  ownSettings,
  subagent,
  unreported,
  subfolder,
  widened('subfolder-with-user-hooks', 'src'),
  widened('top-with-user-hooks', ''),
]

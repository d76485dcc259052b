// The sessions that every agent goes through: what is typed, what the model then says, and which entries must result.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { WorkPlace } from '../packages/recorder/journeys/testing/work-place.ts'
import { recipes } from '../packages/recorder/src/install/settings/recipes.ts'
import { tools } from '../packages/recorder/src/tools/find-tool.ts'
import type { Script, Step } from './model-server/script.ts'
import {
  type Activity,
  type Agent,
  activities,
  type ExpectedEntry,
  type ShellCall,
} from './programs/agent.ts'

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
  /** Files that the session changes, with their texts at its end. Nothing else may have changed. */
  readonly changed?: Readonly<Record<string, string>>
  /** Changes the words of the command. */
  readonly command?: (words: readonly string[], prompt: string) => readonly string[]
  /** A text that must reach the model with the prompt. */
  readonly sent?: string
  /** How a person stops the agent while it works. */
  readonly stop?: Stop
  /** How many calls leave no entry. */
  readonly lost?: number
}

export type Stop = {
  readonly by: 'signal' | 'escape'
  /** `command`: while one runs, which has then made the file `begun`. */
  readonly during: 'command' | 'answer'
  /** What is typed next. */
  readonly next: string
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

function wrap(agent: Agent, prompt: string | RegExp, middle: readonly ExpectedEntry[]): ExpectedEntry[] {
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

const activity = (name: Activity): Case => ({
  name,
  concerns: everyAgent,
  isMissing: agent => {
    const play = agent.plays({ home: '', root: '' })[name]
    return typeof play === 'string' ? play : null
  },
  prepare: async (agent, place) => {
    const play = agent.plays(place)[name]
    if (typeof play === 'string') throw new Error('unreachable')
    const {
      calls,
      entries = [],
      scripts = [],
      given = {},
      prompt = 'Do what the script says.',
      recordedPrompt = prompt,
      ...more
    } = play
    for (const [path, content] of Object.entries(given)) place.write(resolve(place.root, path), content)
    const steps = [...calls.map(({ step }) => step), { kind: 'answer', text: answer } as const]
    return {
      ...more,
      folder: place.root,
      prompt,
      scripts: [...scripts, { prompt, steps }],
      changed: more.changed ?? {},
      expected: wrap(agent, recordedPrompt, [...calls.map(({ entry }) => entry), ...entries]),
    }
  },
})

/** A person stops it while a command runs or while the model answers. In its own interface he then goes on. */
const stopped = (by: Stop['by'], during: Stop['during']): Case => ({
  name: `${by}-in-${during}`,
  concerns: everyAgent,
  isMissing: everywhere,
  prepare: async (agent, { root }) => {
    const [prompt, next] = ['Do what the script says.', 'Go on then.']
    const { start, prompt: asked, stop, end, afterStopped = [] } = agent.events
    const first: Call = { command: 'echo first', output: 'first' }
    const command = 'echo begun > begun; sleep 60; echo never'
    const entry = agent.stopped[by]
    const isLost = typeof entry === 'string'
    const steps: Step[] =
      during === 'answer'
        ? [agent.shell(first), { kind: 'stall', text: 'I begin to ' }]
        : [agent.shell({ command }), { kind: 'answer', text: 'never' }]
    const middle =
      during === 'answer'
        ? [{ ...expectCall(agent, first), output: by === 'signal' ? first.output : '' }]
        : isLost
          ? []
          : [{ toolName: agent.shellName, command, ...entry }]
    return {
      folder: root,
      prompt,
      scripts: [
        { prompt: next, steps: [{ kind: 'answer', text: answer }] },
        { prompt, steps },
      ],
      changed: during === 'command' ? { begun: 'begun\n' } : {},
      stop: { by, during, next },
      lost: isLost && during === 'command' ? 1 : 0,
      ...(by === 'escape' ? { command: agent.screen.command } : {}),
      expected: [
        ...(start === null ? [] : [{ event: start }]),
        { event: asked, prompt },
        ...middle,
        ...(by === 'signal'
          ? []
          : [
              { event: asked, prompt: next },
              { event: stop, response_summary: answer },
            ]),
        ...(by === 'escape' && during === 'answer' ? afterStopped : []),
        ...(end === null ? [] : [{ event: end, mayRepeat: by === 'escape' }]),
      ],
    }
  },
})

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
  ...activities.map(activity),
  stopped('signal', 'command'),
  stopped('signal', 'answer'),
  stopped('escape', 'command'),
  stopped('escape', 'answer'),
  subfolder,
  widened('subfolder-with-user-hooks', 'src'),
  widened('top-with-user-hooks', ''),
]

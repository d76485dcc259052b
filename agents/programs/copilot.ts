// Copilot CLI with a model of our own, so that it needs no account. Its program is a native binary.
import { join } from 'node:path'
import type { Agent, ExpectedEntry } from './agent.ts'
import { call, helper, helperScript, picture, pictureText, played, weatherServer } from './plays.ts'

const bash = (command: string, more: object = {}) =>
  call('bash', { command, description: 'Runs what the script says', ...more })
const done = (output: string): ExpectedEntry => ({ event: 'postToolUse', output })
const failed = (error: string): ExpectedEntry => ({ event: 'postToolUseFailure', error })

const delegate = (more: object = {}) =>
  call('task', {
    description: 'Look into it',
    name: 'helper',
    prompt: helper.task,
    agent_type: 'general-purpose',
    ...more,
  })
const helped: readonly ExpectedEntry[] = [
  { event: 'userPromptSubmitted', prompt: helper.task },
  { ...done(helper.output), toolName: 'bash', command: helper.command },
  { event: 'agentStop', response_summary: helper.finding, stop_reason: 'end_turn' },
]
const steps = helperScript(bash(helper.command), { kind: 'answer', text: helper.finding })

const isStopped: ExpectedEntry = { event: 'postToolUseFailure', error: 'user_' }

/** What the variables call each dialect, and where its base address ends. */
const providers = {
  messages: { type: 'anthropic', wire: null, version: '' },
  chat: { type: 'openai', wire: 'completions', version: '/v1' },
  responses: { type: 'openai', wire: 'responses', version: '/v1' },
} as const

export function createCopilot(dialect: keyof typeof providers): Agent {
  const { type, wire, version } = providers[dialect]
  return {
    tool: 'copilot',
    program: { title: 'Copilot CLI 1.0.102', npmName: '@github/copilot', version: '1.0.102' },
    prepare: ({ home, root, write }) =>
      write(join(home, '.copilot', 'config.json'), JSON.stringify({ trusted_folders: [root] })),
    variables: ({ modelUrl, key, model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}${version}`,
      COPILOT_PROVIDER_TYPE: type,
      ...(wire === null ? {} : { COPILOT_PROVIDER_WIRE_API: wire }),
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    command: (installed, prompt) => [
      join(installed, 'node_modules', '@github', `copilot-${process.platform}-${process.arch}`, 'copilot'),
      '-p',
      prompt,
      '--allow-all-tools',
      '--allow-all-paths',
    ],
    runsHooksBelow: true,
    shell: ({ command }) => bash(command),
    shellName: 'bash',
    plays: ({ root }) => {
      const [note, image] = [join(root, 'note.txt'), join(root, 'picture.png')]
      const weather = { type: 'local', tools: ['*'], ...weatherServer }
      return {
        edits: {
          calls: [
            played(call('create', { path: note, file_text: 'one\ntwo\n' }), done('Created')),
            played(call('edit', { path: note, old_str: 'two', new_str: 'three' }), done('updated')),
            played(bash('echo four > other.txt'), done('')),
          ],
          changed: { 'note.txt': 'one\nthree\n', 'other.txt': 'four\n' },
        },
        subagent: {
          calls: [played(delegate(), done(helper.finding))],
          scripts: [steps],
          entries: helped,
        },
        'background-subagent': {
          calls: [
            played(delegate({ mode: 'background' }), done('started in background')),
            {
              step: result =>
                call('read_agent', {
                  agent_id: /[\da-f]{8}-[\da-f-]{27}/.exec(result)?.[0],
                  wait: true,
                  timeout: 30,
                }),
              entry: { ...done(helper.finding), toolName: 'read_agent' },
            },
          ],
          scripts: [steps],
          entries: helped,
        },
        'background-command': {
          calls: [
            played(
              bash('echo begin; sleep 1; echo end', { mode: 'async', shellId: 'one' }),
              done('shellId: one'),
            ),
            played(call('read_bash', { shellId: 'one', delay: 10 }), done('begin\nend')),
            played(bash('sleep 300', { mode: 'async', shellId: 'two' }), done('shellId: two')),
            played(call('stop_bash', { shellId: 'two' }), done('stopped')),
          ],
        },
        image: {
          given: { 'picture.png': picture },
          command: words => [...words, '--attachment', image],
          calls: [played(call('view', { path: image }), done('Viewed image'))],
          sent: pictureText,
        },
        'server-tool': {
          command: words => [
            ...words,
            '--additional-mcp-config',
            JSON.stringify({ mcpServers: { weather } }),
          ],
          calls: [
            played(call('weather-forecast', { city: 'Seoul' }), done('Rain in Seoul')),
            played(call('weather-forecast', { city: 'Nowhere' }), failed('No such city')),
          ],
        },
        unreported: {
          calls: [
            played(call('edit', { path: note, old_str: 'not in it', new_str: 'x' }), failed('')),
            played(call('no_such_tool', { a: 1 }), failed('does not exist')),
            played(call('view', { a: 1 }), failed('Required')),
            played(bash('exit 3'), done('exit code 3')),
          ],
        },
      }
    },
    stopped: { signal: isStopped, escape: isStopped },
    screen: {
      command: words => words.map(word => (word === '-p' ? '-i' : word)),
      stop: { keys: '\x1b', shows: /Operationcancelled|aborted/ },
      quit: '/exit',
    },
    events: {
      start: null,
      prompt: 'userPromptSubmitted',
      call: 'postToolUse',
      stop: 'agentStop',
      end: 'sessionEnd',
    },
  }
}

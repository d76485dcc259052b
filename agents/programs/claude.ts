// Claude Code. Its program is a native binary from npm, because the wrapper would need an install script.
import { join } from 'node:path'
import type { Agent, ExpectedEntry } from './agent.ts'
import { call, helper, helperScript, picture, pictureText, played, weatherServer } from './plays.ts'

const bash = (command: string, more: object = {}) =>
  call('Bash', { command, description: 'Runs what the script says', ...more })

const done = (entry: object = {}): ExpectedEntry => ({ event: 'PostToolUse', ...entry })
const failed = (error: string): ExpectedEntry => ({ event: 'PostToolUseFailure', error })

/** The end of a task in the background starts a turn of its own. */
const notification = { prompt: '<task-notification>', steps: [{ kind: 'answer', text: 'Noted.' }] } as const
const notified: readonly ExpectedEntry[] = [
  { event: 'UserPromptSubmit', prompt: /^<task-notification>/ },
  { event: 'Stop', response_summary: 'Noted.' },
]

const delegate = (isInBackground: boolean) =>
  call('Agent', {
    description: 'Look into it',
    prompt: helper.task,
    subagent_type: 'general-purpose',
    run_in_background: isInBackground,
  })
const helped: readonly ExpectedEntry[] = [
  done({ toolName: 'Bash', command: helper.command, output: helper.output }),
  { event: 'SubagentStop', response_summary: helper.finding },
]

const isStopped = failed("The user doesn't want to proceed with this tool use")

export function createClaude(version: string, runsHooksBelow: boolean): Agent {
  return {
    tool: 'claude',
    program: { title: `Claude Code ${version}`, npmName: '@anthropic-ai/claude-code', version },
    prepare: ({ home, root, write }) =>
      write(
        join(home, '.claude.json'),
        JSON.stringify({
          hasCompletedOnboarding: true,
          bypassPermissionsModeAccepted: true,
          projects: { [root]: { hasTrustDialogAccepted: true } },
        }),
      ),
    variables: ({ home, modelUrl, key, model }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it leaves the outputs of its tasks in the machine's temporary folder.
      CLAUDE_CODE_TMPDIR: home,
      // As root, it refuses to run without asking unless it is told that it is in a sandbox.
      IS_SANDBOX: '1',
    }),
    command: (installed, prompt) => [
      join(
        installed,
        'node_modules',
        '@anthropic-ai',
        `claude-code-${process.platform}-${process.arch}`,
        'claude',
      ),
      '-p',
      prompt,
      '--dangerously-skip-permissions',
    ],
    runsHooksBelow,
    shell: ({ command }) => bash(command),
    shellName: 'Bash',
    plays: ({ root }) => {
      const note = join(root, 'note.txt')
      const image = join(root, 'picture.png')
      const mcp = JSON.stringify({ mcpServers: { weather: weatherServer } })
      const steps = helperScript(bash(helper.command), { kind: 'answer', text: helper.finding })
      return {
        edits: {
          calls: [
            played(call('Write', { file_path: note, content: 'one\ntwo\n' }), done()),
            played(call('Edit', { file_path: note, old_string: 'two', new_string: 'three' }), done()),
            played(bash('echo four > other.txt'), done()),
          ],
          changed: { 'note.txt': 'one\nthree\n', 'other.txt': 'four\n' },
        },
        subagent: {
          calls: [played(delegate(false), done({ output: helper.finding }))],
          scripts: [steps],
          entries: helped,
        },
        'background-subagent': {
          calls: [played(delegate(true), done({ output: 'async_launched' }))],
          scripts: [notification, steps],
          entries: [...helped, ...notified],
        },
        'background-command': {
          calls: [
            played(
              bash('echo begin; sleep 1; echo end', { run_in_background: true }),
              done({ output: 'backgroundTaskId' }),
            ),
          ],
          scripts: [notification],
          entries: notified,
        },
        image: {
          given: { 'picture.png': picture },
          prompt: 'Look at @picture.png please.',
          calls: [played(call('Read', { file_path: image }), done({ output: pictureText }))],
          sent: pictureText,
        },
        'server-tool': {
          command: words => [...words, '--mcp-config', mcp],
          calls: [
            played(call('mcp__weather__forecast', { city: 'Seoul' }), done({ output: 'Rain in Seoul' })),
            played(call('mcp__weather__forecast', { city: 'Nowhere' }), failed('No such city')),
          ],
        },
        unreported: {
          calls: [
            played(
              call('Edit', { file_path: note, old_string: 'not in it', new_string: 'x' }),
              failed('not'),
            ),
            played(call('Edit', { file_path: note }), failed('InputValidationError')),
            played(call('NoSuchTool', { a: 1 }), failed('No such tool available')),
            // For this one a hook is run.
            played(bash('exit 3'), failed('Exit code 3')),
          ],
        },
      }
    },
    stopped: { signal: isStopped, escape: isStopped },
    screen: {
      command: (words, prompt) => [...words.filter(word => word !== '-p' && word !== prompt), prompt],
      stop: { keys: '\x1b', shows: /Interrupted/ },
      quit: '/exit',
    },
    events: {
      start: 'SessionStart',
      prompt: 'UserPromptSubmit',
      call: 'PostToolUse',
      stop: 'Stop',
      end: null,
    },
  }
}

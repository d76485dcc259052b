// Gemini CLI, with a key and in a trusted folder.
import { join } from 'node:path'
import type { Agent, ExpectedEntry } from './agent.ts'
import { call, helper, helperScript, picture, pictureText, played, weatherServer } from './plays.ts'

const shell = (command: string, more: object = {}) =>
  call('run_shell_command', { command, description: 'Runs what the script says', ...more })
const done = (output: string): ExpectedEntry => ({ event: 'AfterTool', output })
const failed = (error: string): ExpectedEntry => ({ event: 'AfterTool', error })

export const gemini: Agent = {
  tool: 'gemini',
  program: { title: 'Gemini CLI 0.61.0', npmName: '@google/gemini-cli', version: '0.61.0' },
  prepare: ({ home, root, write }) => {
    write(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
    )
    write(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [root]: 'TRUST_FOLDER' }))
  },
  variables: ({ home, modelUrl, key }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    // It writes a report of each error into the folder for temporary files.
    TMPDIR: home,
  }),
  command: (installed, prompt, model) => [
    'node',
    join(installed, 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js'),
    '-m',
    model,
    '--approval-mode',
    'yolo',
    '-p',
    prompt,
  ],
  runsHooksBelow: false,
  shell: ({ command, folder }) => shell(command, folder === undefined ? {} : { dir_path: folder }),
  shellName: 'run_shell_command',
  plays: ({ root }) => {
    const [note, image] = [join(root, 'note.txt'), join(root, 'picture.png')]
    const replace = (old_string: string) =>
      call('replace', { file_path: note, instruction: 'Changes it', old_string, new_string: 'three' })
    return {
      edits: {
        calls: [
          played(call('write_file', { file_path: note, content: 'one\ntwo\n' }), done('Successfully')),
          played(replace('two'), done('Successfully')),
          played(shell('echo four > other.txt'), done('')),
        ],
        changed: { 'note.txt': 'one\nthree\n', 'other.txt': 'four\n' },
      },
      subagent: {
        calls: [
          played(
            call('invoke_agent', { agent_name: 'generalist', prompt: helper.task }),
            done(helper.finding),
          ),
        ],
        scripts: [
          helperScript(
            shell(helper.command),
            call('complete_task', { result: { response: helper.finding } }),
          ),
        ],
        entries: [
          { ...done(helper.output), toolName: 'run_shell_command', command: helper.command },
          { event: 'AfterTool', toolName: 'complete_task' },
        ],
      },
      'background-subagent': 'Gemini CLI 0.61.0 has none: `invoke_agent` waits for the subagent',
      'background-command': {
        calls: [
          played(
            shell('echo begin; sleep 1; echo end', { is_background: true, delay_ms: 300 }),
            done('moved to background'),
          ),
          {
            step: result =>
              call('read_background_output', { pid: Number(/PID: (\d+)/.exec(result)?.[1]), delay_ms: 2000 }),
            entry: { ...done('end'), toolName: 'read_background_output' },
          },
          played(call('list_background_processes', {}), done('EXITED')),
        ],
      },
      image: {
        given: { 'picture.png': picture },
        prompt: 'Look at @picture.png please.',
        recordedPrompt: /^Look at @picture.png please.\n--- Content from referenced files ---/,
        calls: [played(call('read_file', { file_path: image }), done(pictureText))],
        sent: pictureText,
      },
      'server-tool': {
        given: { '.gemini/settings.json': JSON.stringify({ mcpServers: { weather: weatherServer } }) },
        calls: [
          played(call('mcp_weather_forecast', { city: 'Seoul' }), done('Rain in Seoul')),
          played(call('mcp_weather_forecast', { city: 'Nowhere' }), failed('No such city')),
        ],
      },
      unreported: {
        calls: [
          played(call('no_such_tool', { a: 1 }), failed('not found')),
          played(
            call('write_file', { file_path: '/etc/denied.txt', content: 'x' }),
            failed('not in workspace'),
          ),
          played(call('read_file', { a: 1 }), failed('file_path')),
          // For these a hook is run.
          played(replace('not in it'), failed('')),
          played(shell('exit 3'), done('Exit Code: 3')),
        ],
      },
    }
  },
  stopped: {
    signal: 'Gemini CLI 0.61.0 runs no hook for it, and writes nothing about it',
    escape: done('cancelled by user'),
  },
  screen: {
    command: words => words.map(word => (word === '-p' ? '-i' : word)),
    stop: { keys: '\x1b', shows: /[Cc]ancelled/ },
    quit: '/quit',
  },
  events: {
    start: null,
    prompt: 'BeforeAgent',
    call: 'AfterTool',
    stop: 'AfterAgent',
    end: 'SessionEnd',
    afterStopped: [{ event: 'AfterAgent' }],
  },
}

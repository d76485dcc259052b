// Agents that are set up with what the team's page gives people to copy, and nothing else that says where the models are.
import { join } from 'node:path'
import { listSnippets } from '../../packages/console/src/team/snippets.ts'
import type { AgentPlaces, AgentProgram } from '../programs/agent.ts'

/** The snippet with this id, for the gateway and model of `places`. */
function readSnippet(id: string, { modelUrl, model }: AgentPlaces): string {
  const facts = { base: modelUrl, model, quickModel: model }
  const snippet = listSnippets(facts).find(each => each.id === id)
  if (snippet === undefined) throw new Error(`The team's page has no snippet ${id}.`)
  return snippet.code
}

/** What the lines `export NAME=value` of a snippet set; the line with the key comes before them. */
function readExports(code: string, key: string): Readonly<Record<string, string>> {
  const lines = [...code.matchAll(/^export (\w+)=(.*)$/gm)]
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name, value.replace('$FAIRGATE_KEY', key)]),
  )
}

/** Where a program is set up by its environment. `own`: which of its variables the snippet stands for. */
export function withExportsOfPage<Program extends AgentProgram>(
  program: Program,
  id: string,
  own: RegExp,
): Program {
  return {
    ...program,
    variables: (places: AgentPlaces) => {
      const others = Object.entries(program.variables(places)).filter(([name]) => !own.test(name))
      return { ...Object.fromEntries(others), ...readExports(readSnippet(id, places), places.key) }
    },
  }
}

/** Codex, whose settings are the snippet, and below it what lets it run unattended. */
export function withSettingsOfPage<Program extends AgentProgram>(codex: Program): Program {
  return {
    ...codex,
    prepare: (places: AgentPlaces) =>
      places.write(
        join(places.home, '.codex', 'config.toml'),
        [
          'web_search = "disabled"',
          readSnippet('codex', places),
          '[features]',
          'plugins = false',
          'apps = false',
          'multi_agent = false',
          'goals = false',
          '[analytics]',
          'enabled = false',
          `[projects.${JSON.stringify(places.root)}]`,
          'trust_level = "trusted"',
          '',
        ].join('\n'),
      ),
    variables: ({ key }: AgentPlaces) => ({ FAIRGATE_KEY: key }),
  }
}

/** opencode, whose settings in the project are the snippet. */
export function withProjectOfPage(opencode: AgentProgram): AgentProgram {
  return {
    ...opencode,
    prepare: places => {
      const { home, root, write } = places
      write(
        join(home, '.config', 'opencode', 'opencode.json'),
        JSON.stringify({ autoupdate: false, share: 'disabled' }),
      )
      write(join(root, 'opencode.json'), readSnippet('opencode', places))
    },
    variables: places => ({ ...opencode.variables(places), FAIRGATE_KEY: places.key }),
    command: (installed, prompt, model) => {
      const [program = '', ...others] = opencode.command(installed, prompt, model)
      return [program, ...others.slice(0, -1), '-m', `fairgate/${model}`, prompt]
    },
  }
}

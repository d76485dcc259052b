// Reads the rules for peeling wrappers off texts. Refuses a file if its own examples do not give the results it lists.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type JoinRules, joinRulesSchema, peelText } from '@fairgate/contracts/logbook/join-rules.ts'
import { Value } from 'typebox/value'
import { parse } from 'yaml'

export const shippedJoinRules = fileURLToPath(new URL('../../../../config/join-rules.yaml', import.meta.url))

/** Throws an Error that names the file and the faulty place in it. */
export function readJoinRules(path: string): JoinRules {
  try {
    return parseJoinRules(readFileSync(path, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot use ${path}: ${reason}`, { cause })
  }
}

/** Throws an Error that names the faulty place in the YAML text. */
export function parseJoinRules(yaml: string): JoinRules {
  const rules: unknown = parse(yaml)
  if (!Value.Check(joinRulesSchema, rules)) {
    const error = Value.Errors(joinRulesSchema, rules)[0]
    throw new Error(`${error?.instancePath || 'the whole file'} ${error?.message ?? 'is not valid'}.`)
  }
  for (const [tool, { examples }] of Object.entries(rules.tools)) {
    for (const { kind, recorded, text, peeled } of examples) {
      const found = peelText(rules, tool, kind, text)
      if (found === peeled) continue
      throw new Error(
        `the example "${recorded}" of ${tool} says that ${JSON.stringify(peeled)} is left, but it is ${JSON.stringify(found)}.`,
      )
    }
  }
  return rules
}

// `run`: starts a program with the gateway in its environment, for tools and SDKs that read it from nowhere else.

import { connectableTools } from '@fairgate/contracts/agents/known-tools.ts'
import { readGateway } from '../config/settings.ts'
import { connections } from '../connect/connections.ts'
import type { Gateway } from '../connect/recipe.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

/** Exits with the program's exit code. */
export const runProgramVerb: RunVerb = async (context, { positionals }) => {
  const [program, ...words] = positionals
  if (program === undefined) throw new UserFailure('Name the program to start.', 2)
  const gateway = readGateway(openRepository(context).spool)
  if (gateway === null)
    throw new UserFailure(
      'This repository is not connected to a gateway. Run "fairgate-recorder connect" first.',
    )
  const { spawn } = await import('node:child_process')
  const child = spawn(program, words, {
    stdio: 'inherit',
    env: { ...context.environment, ...listVariables(gateway) },
    // Windows finds programs that npm installed only through its shell.
    shell: context.platform === 'win32',
  })
  // The interrupt key is for the program.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', thrown => reject(new UserFailure(`${program} cannot be started: ${thrown.message}`)))
      child.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)))
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}

/** Variables for all tools and SDKs, because a program can use more than one. */
export function listVariables(gateway: Gateway): Record<string, string> {
  return Object.assign(
    { FAIRGATE_KEY: gateway.key, FAIRGATE_GATEWAY_URL: gateway.url },
    ...connectableTools.map(tool => connections[tool].variables(gateway)),
  )
}

// The proxies as deploy/ ships them, with their own /etc (scripts/test-deploy.ts).
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type ProxyName = 'nginx' | 'Caddy'

export type RunningProxy = {
  /** Its output since the start. */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

export const gatewayUrl = 'https://gateway.example.org'
export const logbookUrl = 'https://logbook.example.org'
export const judgingUrl = 'https://judging.example.org'
const names = [gatewayUrl, logbookUrl, judgingUrl].map(url => new URL(url).hostname)
/** Their certificates are made for the test. */
export const trusting = { rejectUnauthorized: false }

const shipped = (path: string) => fileURLToPath(new URL(`../../../../../deploy/${path}`, import.meta.url))

export type MachineAddress = { readonly host: string; readonly gateway: number; readonly logbook: number }

/** `machines`: additional ones, added to the files as their comments describe. */
export async function startProxy(
  name: ProxyName,
  machines: readonly MachineAddress[] = [],
): Promise<RunningProxy> {
  return await (name === 'nginx' ? startNginx(machines) : startCaddy(machines))
}

async function startNginx(machines: readonly MachineAddress[]): Promise<RunningProxy> {
  let text = readFileSync(shipped('nginx/fairgate.conf'), 'utf8')
  for (const door of doors)
    for (const { host, [door]: port } of machines) {
      text = addBehind(text, `"127.0.0.1:${ports[door]}"`, `, "${host}:${port}"`)
      text = addBehind(text, `server 127.0.0.1:${ports[door]};`, ` server ${host}:${port};`)
    }
  writeFileSync('/etc/nginx/conf.d/fairgate.conf', text)
  copyFileSync(shipped('nginx/fairgate-proxy.conf'), '/etc/nginx/fairgate-proxy.conf')
  copyFileSync(shipped('nginx/fairgate-wait.lua'), '/etc/nginx/fairgate-wait.lua')
  for (const name of names) makeCertificate(name)
  return await run(['nginx', '-g', 'daemon off; error_log stderr;'])
}

/** As the shipped files have them. */
const ports = { gateway: 4000, logbook: 4001 } as const
const doors = ['gateway', 'logbook'] as const

/** `place` occurs exactly once in the text. */
function addBehind(text: string, place: string, more: string): string {
  const [before = '', after = '', ...others] = text.split(place)
  if (others.length > 0 || before === text)
    throw new Error(`${place} does not occur exactly once in the shipped file.`)
  return `${before}${place}${more}${after}`
}

function makeCertificate(name: string): void {
  const folder = `/etc/letsencrypt/live/${name}`
  mkdirSync(folder, { recursive: true })
  const files = ['-keyout', `${folder}/privkey.pem`, '-out', `${folder}/fullchain.pem`]
  const made = Bun.spawnSync(
    [
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      ...files,
    ],
    { stderr: 'pipe' },
  )
  if (!made.success) throw new Error(String(made.stderr))
}

async function startCaddy(machines: readonly MachineAddress[]): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-caddy-'))
  const file = join(folder, 'Caddyfile')
  let text = readFileSync(shipped('caddy/Caddyfile'), 'utf8')
  for (const door of doors)
    for (const { host, [door]: port } of machines)
      text = addBehind(text, `to 127.0.0.1:${ports[door]}`, ` ${host}:${port}`)
  // No certificate authority is available here.
  writeFileSync(file, `{\n\tlocal_certs\n\tskip_install_trust\n}\n${text}`)
  const proxy = await run(['caddy', 'run', '--adapter', 'caddyfile', '--config', file], { HOME: folder })
  return {
    ...proxy,
    stop: async () => {
      await proxy.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Resolves when it accepts TLS for each name. */
async function run(
  command: readonly string[],
  variables: Record<string, string> = {},
): Promise<RunningProxy> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? '', ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) output += new TextDecoder().decode(bytes)
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  for (const name of names)
    while (!(await acceptsTls(name))) {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}:\n${output}`)
      await Bun.sleep(20)
    }
  return {
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
      await collected
    },
  }
}

function acceptsTls(hostname: string): Promise<boolean> {
  return new Promise(resolve => {
    Bun.connect({
      hostname,
      port: 443,
      tls: { rejectUnauthorized: false, serverName: hostname },
      socket: {
        handshake: (socket, isSuccess) => {
          resolve(isSuccess)
          socket.end()
        },
        data: () => undefined,
        error: () => resolve(false),
        close: () => resolve(false),
        connectError: () => resolve(false),
      },
    }).catch(() => resolve(false))
  })
}

// Calls a server's admin door, and throws its reason when it refuses.

export type AdminDoor = { readonly adminUrl: string; readonly adminKey: string }

export class AdminCaller {
  readonly #server: AdminDoor
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>

  constructor(server: AdminDoor, fetch: (url: string, init: RequestInit) => Promise<Response>) {
    this.#server = server
    this.#fetch = fetch
  }

  get(path: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(path, { method: 'GET' })
  }

  post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(path, { method: 'POST', body: JSON.stringify(body) })
  }

  async #ask(path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const { adminUrl, adminKey } = this.#server
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
    const response = await this.#fetch(`${adminUrl}${path}`, { ...init, headers, redirect: 'manual' })
    const reply: unknown = await response.json().catch(() => null)
    if (response.ok) return Object(reply)
    const message: unknown = Object(Object(reply).error).message
    throw new Error(`${path} was refused (HTTP ${response.status}): ${String(message ?? 'no reason given')}`)
  }
}

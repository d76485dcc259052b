// Lets organisers manage admin keys: create them with a secret that is shown once, rename, block and delete them, or give them a new secret. Each
// change is audited.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { NewAdminKeyBody, UpdateAdminKeyBody } from '@fairgate/contracts/management/access.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import { type Role, roles } from '@fairgate/contracts/management/roles.ts'
import { type Acting, auditOf } from '../directory/audit.ts'
import { createSecret, type Secret } from '../directory/create-secret.ts'
import { demoTeamMaker } from '../directory/demo-team.ts'
import { nameKeyOf } from '../directory/directory-rows.ts'
import { type ActionResult, carryOutPlan, planChange } from '../directory/planned-action.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { AdminKeyRow } from '../store/statements/admin-keys.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

export type AdminKeyServiceDependencies = Pick<World, 'clock' | 'randomBytes' | 'newId'> & {
  readonly read: Pick<Store['read'], 'listAdminKeys'>
  readonly write: Pick<Store['write'], 'insertAdminKey' | 'updateAdminKey' | 'deleteAdminKey' | 'endSignIns'>
}

type Author = Pick<Acting, 'actor' | 'reason'>

const maxKeys = 500
/** Names of actors that are not admin keys: the environment's key, a reload by signal, and the start that creates the demo team. */
const takenNames: readonly string[] = ['admin', 'sighup', demoTeamMaker]
/** Begins the names of judges who have signed in with a claim link. */
export const judgeActorPrefix = 'judge:'
/** Changes that conflict between reading and writing are tried again. */
const maxTries = 5

export class AdminKeyService {
  readonly #given: AdminKeyServiceDependencies

  constructor(dependencies: AdminKeyServiceDependencies) {
    this.#given = dependencies
  }

  /** In order of creation. */
  list(): Promise<readonly AdminKeyRow[]> {
    return this.#given.read.listAdminKeys(null)
  }

  /** Throws ApiError `conflict` (409) for a name that is taken, and if there are too many keys already. */
  async create(
    { name, role, reason }: NewAdminKeyBody,
    actor: string,
  ): Promise<{ readonly key: AdminKeyRow; readonly secret: string }> {
    const { read, write, clock, randomBytes, newId } = this.#given
    const known = await read.listAdminKeys(null)
    if (known.length >= maxKeys)
      throw new ApiError('conflict', {
        message: `There are ${known.length} admin keys already. Delete one first.`,
      })
    const folded = requireFree(known, name, null)
    const secret = createSecret('adm-', randomBytes)
    const key: AdminKeyRow = {
      key_id: `ak_${newId()}`,
      ...columnsOf(secret),
      name,
      folded_name: folded,
      role,
      blocked: 0,
      created_at: clock(),
      created_by: actor,
    }
    const audit = auditAdminKey({ now: key.created_at, actor, reason }, 'admin_key.create', null, key)
    if (!(await write.insertAdminKey({ key, audit }))) throw nameTaken(name)
    return { key, secret: secret.secret }
  }

  /** Absent members are unchanged. Throws ApiError `admin_key_not_found`, `conflict`. */
  async update(keyId: string, { reason, ...body }: UpdateAdminKeyBody, actor: string): Promise<AdminKeyRow> {
    const { name, role, blocked } = body
    // Only the requested fields: a rename must not undo a block that was just made.
    return this.#change(keyId, 'admin_key.update', { actor, reason }, known => ({
      ...(name === undefined ? {} : { name, folded_name: requireFree(known, name, keyId) }),
      ...(role === undefined ? {} : { role }),
      ...(blocked === undefined ? {} : { blocked: Number(blocked) }),
    }))
  }

  /** The old secret stops working at once, and its sessions end. Throws ApiError `admin_key_not_found`, `preview_outdated`. */
  async regenerate(
    keyId: string,
    request: ActionBody,
    actor: string,
  ): Promise<ActionResult<{ readonly key: AdminKeyRow; readonly secret: string }>> {
    const seen = find(await this.#given.read.listAdminKeys(null), keyId)
    const changes = planChange('admin_key.key_name', keyId, seen.key_name, 'a new secret')
    return await carryOutPlan({ changes }, request, async () => {
      const secret = createSecret('adm-', this.#given.randomBytes)
      const acting = { actor, reason: request.reason }
      const key = await this.#change(keyId, 'admin_key.regenerate', acting, known => {
        // Another request was faster: its new secret stays.
        if (typeof request.preview_id === 'string' && find(known, keyId).key_hash !== seen.key_hash)
          throw new ApiError('preview_outdated')
        return columnsOf(secret)
      })
      return { key, secret: secret.secret }
    })
  }

  /** Throws ApiError `admin_key_not_found`, `preview_outdated`. */
  async delete(keyId: string, request: ActionBody, actor: string): Promise<ActionResult<AdminKeyRow>> {
    const key = find(await this.#given.read.listAdminKeys(null), keyId)
    const changes = [
      ...planChange('admin_key.name', keyId, key.name, null),
      ...planChange('admin_key.role', keyId, key.role, null),
    ]
    return await carryOutPlan({ changes }, request, async () => {
      const acting = { now: this.#given.clock(), actor, reason: request.reason }
      const audit = auditAdminKey(acting, 'admin_key.delete', key, null)
      if (!(await this.#given.write.deleteAdminKey({ id: keyId, audit }))) throw notFound()
      await this.#endSessions(key)
      return key
    })
  }

  async #change(
    keyId: string,
    action: string,
    author: Author,
    choose: (known: readonly AdminKeyRow[]) => Partial<AdminKeyRow>,
  ): Promise<AdminKeyRow> {
    const { read, write, clock } = this.#given
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = await read.listAdminKeys(null)
      const row = find(known, keyId)
      const change = choose(known)
      if (Object.keys(change).length === 0) return row
      const changed = { ...row, ...change }
      const audit = auditAdminKey({ ...author, now: clock() }, action, row, changed)
      if (!(await write.updateAdminKey({ keyId, keyHash: row.key_hash, change, audit }))) continue
      // The key is checked at each request; its sessions' rows are only cleaned up here.
      if (changed.blocked !== 0 || changed.key_hash !== row.key_hash) await this.#endSessions(row)
      return changed
    }
    throw new ApiError('conflict', {
      message: 'Other requests keep changing this key. Nothing was changed; try again.',
    })
  }

  #endSessions(row: AdminKeyRow): Promise<number> {
    return this.#given.write.endSignIns({ door: 'admin', credential: credentialOf(row) })
  }
}

/** As sessions store a key: by its digest, so that a new secret ends the sessions of the old one. */
export function credentialOf({ key_hash }: Pick<AdminKeyRow, 'key_hash'>): string {
  return `${credentialPrefix}${key_hash}`
}

export const credentialPrefix = 'key:'

/** Throws for a role that Fairgate did not write, so that no one gets in by mistake. */
export function readRole({ role }: Pick<AdminKeyRow, 'role'>): Role {
  const known = roles.find(name => name === role)
  if (known === undefined)
    throw new Error('The database holds an admin key with a role that Fairgate does not know.')
  return known
}

const auditAdminKey = auditOf<AdminKeyRow>(stateOf, ({ key_id }) => ({ target: key_id }))

function stateOf({ key_name, name, role, blocked }: AdminKeyRow): object {
  return { key_name, name, role, blocked: blocked !== 0 }
}

function columnsOf({ hash, name }: Secret): Pick<AdminKeyRow, 'key_hash' | 'key_name'> {
  return { key_hash: hash, key_name: name }
}

function find(known: readonly AdminKeyRow[], keyId: string): AdminKeyRow {
  const row = known.find(({ key_id }) => key_id === keyId)
  if (row === undefined) throw notFound()
  return row
}

function notFound(): ApiError {
  return new ApiError('admin_key_not_found', { param: 'key_id' })
}

function nameTaken(name: string): ApiError {
  return new ApiError('conflict', {
    param: 'name',
    message: `There is already an admin key named "${name}".`,
  })
}

/** Returns the folded name. Throws ApiError `conflict` if another key has it, and `invalid_request` for a name like a judge's. */
function requireFree(known: readonly AdminKeyRow[], name: string, ownId: string | null): string {
  const folded = nameKeyOf(name)
  if (folded.startsWith(judgeActorPrefix))
    throw refuseValue('name', `"${judgeActorPrefix}" is kept for judges with a claim link.`)
  const isTaken =
    takenNames.includes(folded) ||
    known.some(({ folded_name, key_id }) => folded_name === folded && key_id !== ownId)
  if (isTaken) throw nameTaken(name)
  return folded
}

// The tables of who may manage, and of who is signed in on pages. Only digests of secrets are kept. Times in Unix ms.

export type AdminKeysTable = {
  key_id: string
  /** Lower-case hex SHA-256. */
  key_hash: string
  /** Prefix and last four characters, for people. */
  key_name: string
  /** What the audit calls its holder. */
  name: string
  /** The name without case: no two keys have the same. */
  folded_name: string
  /** `organiser`, `judge` or `operator`. */
  role: string
  /** 1 for a key that does not work. */
  blocked: number
  created_at: number
  created_by: string
}

export type SignInsTable = {
  /** Lower-case hex SHA-256 of what the cookie holds. */
  cookie_hash: string
  /** `admin` or `gateway`: a cookie of one door is nothing on the other. */
  door: string
  /** What signed in. Who holds the cookie is let in as long as this is good. */
  credential: string
  created_at: number
  expires_at: number
}

/** A link that signs somebody in once. */
export type SignInLinksTable = {
  ticket_hash: string
  door: string
  credential: string
  expires_at: number
}

export type AccessSchema = {
  admin_keys: AdminKeysTable
  sign_ins: SignInsTable
  sign_in_links: SignInLinksTable
}

// The tables of managers' credentials and of sign-ins on pages. Only digests of secrets are stored. Times in Unix ms.

export type AdminKeysTable = {
  key_id: string
  /** Lower-case hex SHA-256. */
  key_hash: string
  /** Prefix and last four characters, to show to people. */
  key_name: string
  /** The holder's name in the audit. */
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
  /** Lower-case hex SHA-256 of the cookie's content. */
  cookie_hash: string
  /** `admin` or `gateway`: a cookie of one door is not valid on the other. */
  door: string
  /** The credential that signed in. The cookie's holder is let in as long as the credential is valid. */
  credential: string
  created_at: number
  expires_at: number
}

/** A link that signs in once. */
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

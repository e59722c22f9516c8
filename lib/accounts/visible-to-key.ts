import type { Principal } from '../model/principal.ts'

/** The principal that requests a job. */
export type JobReader = Pick<Principal, 'ownerId' | 'keyId' | 'earlierKeyIds' | 'isPublic'>

/** A public key, which is part of a web page, only sees jobs created with it or with the keys that it replaced. */
export const isVisibleToKey = (
  { keyId }: { readonly keyId?: string | undefined },
  reader: Omit<JobReader, 'ownerId'>,
) =>
  !reader.isPublic || (keyId !== undefined && [reader.keyId, ...(reader.earlierKeyIds ?? [])].includes(keyId))

import { createSecretText, isSecretText } from './secret-text.ts'

/** Prefixes of keys: `sk_` for servers, `ck_` for web pages. */
const keyPrefixes = { secret: 'sk_', public: 'ck_' } as const
type KeyKind = keyof typeof keyPrefixes

const prefixes = Object.values(keyPrefixes)

export const createKeyText = (kind: KeyKind): string => createSecretText(keyPrefixes[kind])

/** True if the text has the format of a key and a correct checksum. */
export const isKeyText = (text: string): boolean => prefixes.some((prefix) => isSecretText(text, prefix))

/** True if the text is meant to be a key, valid or not. */
export const hasKeyPrefix = (text: string): boolean => prefixes.some((prefix) => text.startsWith(prefix))

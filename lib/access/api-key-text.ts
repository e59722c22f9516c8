import { isSecretText, newSecretText } from './secret-text.ts'

/** A key as its owner has it: `sk_` for servers or `ck_` for web pages. */
export const keyPrefixes = { secret: 'sk_', public: 'ck_' } as const
export type KeyKind = keyof typeof keyPrefixes

const prefixes = Object.values(keyPrefixes)

export const newKeyText = (kind: KeyKind): string => newSecretText(keyPrefixes[kind])

/** Whether it can be a key at all. */
export const isKeyText = (text: string): boolean => prefixes.some((prefix) => isSecretText(text, prefix))

/** Whether it claims to be one. */
export const hasKeyPrefix = (text: string): boolean => prefixes.some((prefix) => text.startsWith(prefix))

import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  signIn: 'ログイン',
  signInFirst: '表示するにはログインしてください。',
  retry: '再試行',
  loading: '読み込み中…',
  keep: 'キャンセル',
  copy: 'コピー',
  copied: 'コピーしました。',
  plans: { 'self-hosted': 'セルフホスト' },
}

export default words

import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'キーボード ショートカット',
  keys: {
    a: 'ファイルを追加',
    c: '準備のできたものをすべて変換',
    d: 'ダウンロード',
    n: '次の問題へ移動',
    u: 'ファイルの削除を元に戻す',
    '?': 'この一覧を表示',
  },
  areOn: '1 つのキーのショートカットを使う',
  close: '閉じる',
}

export default words

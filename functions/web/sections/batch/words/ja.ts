import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'フォルダーを変換',
  lead: 'フォルダーとサブフォルダーのすべてのファイルを変換し、同じフォルダー構成の ZIP にまとめます。',
  drop: 'このページのどこにでもフォルダーをドロップできます',
  choose: 'フォルダーを選択',
  steps: [
    'フォルダーを選択します。サブフォルダーも含めてファイルが一覧表示されます。',
    'ファイルの種類ごとに形式を選び、すべて変換します。',
    '失敗したファイルだけをやり直せます。',
    'すべてをフォルダー構成のまま ZIP でダウンロードします。',
  ],
  howTo: '使い方',
  inFolders: (files, folders) => `${folders} 個のフォルダーに ${files} 個のファイル`,
  tree: 'フォルダー',
  count: (done, total) => `${total} 個中 ${done} 個を変換済み`,
  others: (count) => `フォルダーに入っていないファイルがほかに ${count} 個あります。`,
  toOthers: 'すべてのファイルを表示',
}

export default words

import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  howTo: 'Como funciona',
  options: 'Opções',
  questions: 'Perguntas',
  pages: {
    'pdf-to-word': {
      title: 'Converter PDF para Word',
      description: 'Transforme um PDF em um documento do Word editável, com títulos, tabelas e imagens.',
      lead: 'Um arquivo DOCX editável, com títulos, tabelas e imagens.',
      steps: [
        'Adicione um ou mais arquivos PDF.',
        'Clique em “Converter para DOCX”.',
        'Baixe o documento do Word.',
      ],
      options: [
        'Converter só algumas páginas, por exemplo 1-5.',
        'Manter a posição exata de tudo, ou um texto que flui ao digitar.',
        'Escolher os idiomas das páginas digitalizadas.',
      ],
      questions: [
        [
          'Funciona com PDFs digitalizados?',
          'Sim. Páginas que são apenas imagens passam antes pelo reconhecimento de texto (OCR).',
        ],
        [
          'Funciona com um PDF protegido?',
          'Sim, para quem sabe a senha: basta digitá-la nas opções do arquivo.',
        ],
        [
          'Quais programas abrem o resultado?',
          'Microsoft Word, LibreOffice Writer, Google Docs, Pages e outros que abrem arquivos DOCX.',
        ],
      ],
    },
    'merge-pdf': {
      title: 'Juntar arquivos PDF',
      description: 'Combine vários arquivos PDF em um só, na ordem desejada.',
      lead: 'Vários PDFs em um só arquivo, em qualquer ordem.',
      steps: [
        'Adicione dois ou mais arquivos PDF.',
        'Coloque-os na ordem certa.',
        'Junte-os e baixe um único PDF.',
      ],
      options: [
        'Usar só algumas páginas de cada arquivo, por exemplo 1-3, 7.',
        'Mudar a ordem arrastando ou com o teclado.',
        'Juntar imagens, áudios ou vídeos da mesma maneira.',
      ],
      questions: [
        ['A qualidade muda?', 'Não. As páginas são copiadas como estão, com texto, imagens e links.'],
        ['Os marcadores são mantidos?', 'Sim, cada arquivo mantém seus marcadores no PDF final.'],
      ],
    },
    'compress-pdf': {
      title: 'Comprimir um PDF',
      description: 'Reduza o tamanho de um PDF para e-mails e formulários.',
      lead: 'PDFs menores para e-mails e formulários.',
      steps: [
        'Adicione um ou mais arquivos PDF.',
        'Clique em “Comprimir PDF”.',
        'Compare os tamanhos e baixe o resultado.',
      ],
      options: [
        'Escolher entre a melhor qualidade e o menor arquivo.',
        'Texto e gráficos vetoriais continuam nítidos; só as imagens são comprimidas.',
      ],
      questions: [
        [
          'Quanto o arquivo diminui?',
          'Depende das imagens: digitalizações e fotos diminuem muito; texto puro, quase nada.',
        ],
        ['E se não der para diminuir?', 'Então o arquivo volta sem alterações, e a página informa isso.'],
      ],
    },
    'jpg-to-pdf': {
      title: 'Converter JPG para PDF',
      description: 'Transforme fotos e digitalizações JPG em arquivos PDF.',
      lead: 'Fotos e digitalizações em PDF, para imprimir ou enviar.',
      steps: [
        'Adicione as imagens, ou tire uma foto com o celular.',
        'Clique em “Converter para PDF”.',
        'Baixe o PDF.',
      ],
      options: [
        'Escolher o tamanho do papel, as margens e a orientação.',
        'PNG, HEIC, WebP e outras imagens também funcionam.',
      ],
      questions: [
        ['A qualidade muda?', 'Não. O JPG é colocado no PDF sem ser comprimido de novo.'],
        [
          'Todas as imagens podem ficar em um só PDF?',
          'Sim. Adicione várias imagens, escolha PDF para todas e clique em “Combinar … imagens em um só PDF”.',
        ],
      ],
    },
    'heic-to-jpg': {
      title: 'Converter HEIC para JPG',
      description: 'Transforme fotos HEIC de um iPhone em imagens JPG que abrem em qualquer lugar.',
      lead: 'Fotos do iPhone em imagens JPG que abrem em qualquer lugar.',
      steps: [
        'Adicione uma ou várias fotos HEIC.',
        'Clique em “Converter para JPG”.',
        'Baixe-as uma a uma ou como ZIP.',
      ],
      options: [
        'Definir a qualidade e o tamanho em pixels.',
        'Manter ou remover os dados da câmera e a localização (EXIF).',
      ],
      questions: [
        [
          'Quantas fotos podem ser convertidas de uma vez?',
          'Até 2000 por seleção; elas são convertidas uma após a outra.',
        ],
        ['As fotos ficam na posição certa?', 'Sim, a orientação da câmera é aplicada.'],
      ],
    },
    'mp4-to-mp3': {
      title: 'Converter MP4 para MP3',
      description: 'Extraia o áudio de um vídeo como arquivo MP3.',
      lead: 'O áudio de um vídeo em um arquivo MP3.',
      steps: ['Adicione um arquivo MP4.', 'Clique em “Converter para MP3”.', 'Baixe o arquivo de áudio.'],
      options: [
        'Recortar um trecho pelo tempo inicial e final.',
        'Definir a taxa de bits e o volume do áudio.',
      ],
      questions: [
        [
          'Outros vídeos também funcionam?',
          'Sim: MOV, MKV, WebM, AVI e a maioria dos outros formatos de vídeo.',
        ],
        [
          'É possível manter o áudio original?',
          'Sim. Escolha M4A em vez de MP3: se o áudio do vídeo for AAC, ele é copiado sem alterações.',
        ],
      ],
    },
    'video-to-gif': {
      title: 'Converter vídeo para GIF',
      description: 'Transforme um trecho de um vídeo em um GIF animado.',
      lead: 'Um trecho de um vídeo como GIF animado.',
      steps: [
        'Adicione um vídeo.',
        'Defina o tempo inicial e final nas opções.',
        'Clique em “Converter para GIF” e baixe-o.',
      ],
      options: ['Definir a largura e os quadros por segundo.', 'Repetir sem fim ou um número de vezes.'],
      questions: [
        [
          'Por que o GIF é maior que o vídeo?',
          'O GIF comprime mal. O que mais ajuda é uma largura menor, menos quadros por segundo ou um trecho mais curto.',
        ],
        [
          'Existe um formato melhor?',
          'O WebP animado é muito menor e funciona em todos os navegadores atuais.',
        ],
      ],
    },
    'scan-to-text': {
      title: 'Converter digitalização para texto',
      description:
        'Reconheça o texto de uma digitalização ou foto (OCR): um PDF passa a permitir buscas, uma imagem vira um arquivo de texto.',
      lead: 'O texto de uma página digitalizada ou de uma foto.',
      steps: [
        'Adicione um PDF digitalizado ou uma imagem, ou tire uma foto.',
        'Escolha o idioma do texto nas opções.',
        'Clique no botão abaixo do arquivo e baixe o resultado: um PDF pesquisável, ou o texto de uma imagem.',
      ],
      options: ['Mais de 100 idiomas, e vários ao mesmo tempo.', 'Converter só algumas páginas de um PDF.'],
      questions: [
        ['O que melhora o reconhecimento?', 'Uma imagem reta, nítida e clara, e o idioma certo nas opções.'],
        [
          'É possível obter o texto de um PDF como arquivo de texto?',
          'Sim. Primeiro reconheça o texto; depois converta o PDF pesquisável para TXT.',
        ],
      ],
    },
  },
}

export default words

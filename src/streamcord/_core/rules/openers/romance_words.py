"""Ordinary words of French, Spanish, Portuguese and Italian."""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = """
abaixo abajo abbastanza abbia abbiamo abbiano abdomen abdos abdômen aberto abertura abierta abierto abitanti
abitudine abitudini abogado abono abord abordagem abril abrir acaba acabar acabo acabou acaso acceso
accesorios accesso accessoires accessori accidente acción accoglienza accordo accroche accueil accès aceite
acento aceptar acerca acesso acessórios aceto acha achado achar achats achei acheter acho acidente acima
acontece acontecendo acontecer aconteceu acordo acqua acquisti acredita acreditar acredito acrescente acteur
actitud acuerdo acá addio addome adelante además adentro adesso adjectif adjetivo adore adorno adresse
adverbe adverbio advertencia advertência advérbio aereo aeropuerto affaire affari affitto afin afinal
afrique afuera aggettivo aggiungi aggiunta agit agli aglio agora agosto agua agência ahora ahorro ahí aide
aider ail ailleurs aimerais ainda ainsi aire ait aiutare aiuto ajo ajuda ajudar albergo alcalde alcance
alcanzar alcun alcuna alcune alcuni alegría alemanha alemania alergias alerta algo alguien algum alguma
alguna alguno alguns alguém algún alho allait allarme alle alleati allegato allemagne allemand aller
allergeni allergènes allez allo alloggio allora allá allí almeno almoço almuerzo alors alrededor alte
alternativa altezza alto altra altre altri altro altura alumno alunno aluno além amanecer amanhã amarelo
amarillo ambas ambiance ambiente ambos ameaça amenaza americana americano amici amicizia amico amiga amigo
amis amistad amizade amo amor amorce amore amostra amour ampiezza américa américain américaine amérique
analisi analyse anche ancho anchura ancien ancienne ancora andar andare andata andato aneddoto anedota
anglais angleterre angola angolo anima animais animale animali animaux aniversário annexe anno annonce
annuaire année ano anos antagonista antagoniste antecedentes antefatto anterior antes antigo antigua antiguo
antipasti antipasto antithèse antonimo antonyme antónimo antônimo anuncio anzi anzitutto análise análisis
anécdota anúncio aos août aparece apariencia apartado aparte aparência apelido apellido apenas aperto apesar
apoio apoyo apparence apparenza appel appelle appello appelé appena appendice apprendre apprentissage appris
approccio approche approfondire appunti appunto aprender aprendizado aprendizaje apresenta aprile après
apuesta apunte apéritif apéro após aquel aquela aquele aquella aqui aquilo aquí arancione arbre argent
argentina argentino arma armadura armatura arme armi armure armée arriba arriva arrivare arrivato arriver
arrivo arrivé arrivée arrière arroz arrêt arrête arrêter arrêté arte articoli articolo artigo artista
artiste artículo asalto asamblea ascolto asesinato asie asignatura asistentes aspecto aspetti aspetto
assaggio asse assemblée assenza assez assim assunto assurer astuzia asunto así atajo atalho ataque atardecer
atelier atitude atmosfera atmosphère ator atout através atrás attacco attaque atteint attendez attendre
attente attesa atti attore attori attraverso attrezzatura attrezzature attuale atual até au aucun aucune
audiencia auditoire auge aujourd aula aun aunque auprès auraient aurais aurait ausencia aussi autant auteur
automne autor autora autore autori autour autre autrice autunno aux avaient avais avait avance avancé avant
avantage avanti avanzado avanzato avançado avanço avec avendo avenir aventura aver avere avesse avete aveva
avevano avevo avez avion avis aviso avión avocat avoir avons avrebbe avrebbero avrei avril avrà avuto
avverbio avversario avvertenza avvertenze avvisi avviso ayant ayer ayuda ayudar azar azienda aziende azione
azioni azul azúcar ação ações açúcar añade año bagagem bagages bagaglio bagno bah baile bairro baixo baja
bajo balanço bambini bambino banca banco banda bande bandera banheiro banque barrio bas basi basso basta
bastante basura bata bataille batalha batalla bate battaglia battuta baño beau beaucoup beauté beaux bebida
beh bel beleza belgique belleza bellezza bello belo bem bene benefici beneficio benefício benissimo
benvenuti benvenuto besoin beurre bevanda bevande bianco bibliografia bibliografía bibliographie biblioteca
bicipiti bien bientôt bienvenida bienvenidos bienvenue biglietto bilan bilancio bilbao bilhete billet
biografia biografía bis bisogna bisogni bisogno blague blanc blanco bleu blu boa boas boca bocca bogotá bois
boisson bola boleto bologna bolsa bom bon bonheur bonito bonne bons bonsoir bord bordeaux borrador bosco
bosque bouche boulot braccia branco brano bras brasileira brasileiro brasília bravi brazos braços bref breve
brincadeira brouillon bruxelles buen buena bueno bugia buon buona buonanotte buonasera buongiorno buono
burro busca buscar buts básico bébé bíceps bônus búsqueda cabello cabelo cabeza cabeça cabo cada cadastro
cadeau cadeaux cadena cadre caer caixa caja calcio calcolo calcul caldo calendario calendrier calle calme
calor calorias calorías cama camada cambiar cambiare cambiato cambio caminho camino cammino campagna
campagne campanha campaña campo canale candidat candidato cansancio cansaço canto canzone canzoni canção
capa capaz capelli capire capisco capitale capito capitoli capitolo cappello capítulo característica
caractère caractéristique carattere caratteristica caratteristiche carbohidratos carboidrati carboidratos
carga cari carica carne carreira carrera carriera carrière carro carta carte cartão carácter caráter cas
casa casal casi caso castello castelo castigo castillo catalogo categoria categorie categoría cattivo
catálogo catégorie causa cazzo cebola cebolla ceci cedo cela celle celui celular cena centrale centre centro
cenário cependant cerca cercando cercare certa certaine certeza certificat certo cerveau ces cet cette ceux
chacun chama chamada chamado chamar chambre changer changé chanson chapitre chaque chaud chave chaîne che
chefe chega chegar chegou chemin cherche chercher cheveux chez chiama chiamata chiamato chiarezza chiaro
chiave chiavi chica chico chiede chiedere chiedo chiesa chiesto chiffre chine chinois chiste chiunque
chiusura choisi choisir choix chuva château chão cible cibo ciclo cidade ciel cielo ciencia ciento cierre
cierta cierto cifra cima cina cinco cine cinq cinque cinza cinéma cioè cipolla circa circostanza
circunstancia circunstância cita cittadini città cité ciudad ciudadano civile ciência ciò clair clareza
claro clase classe classico classique clave clef cliente clienti clima climat clube clásico clássico clé
clés cobertura coche cocina codice codici coeur cognome coherencia coi coimbra coisa colega colegio collega
colleghi collo colloquiale colocar colombia coloquial colore colori coloro colpa colpevole colpo colère com
comando combate combien comentario comentário comer comercio começa começar começo começou comida comienzo
comigo comité commande comme commedia commence commencer commencé commentaire commun communauté commune como
compagnia compagnie compaixão companhia comparaison compartir compañero compañía competencia competenza
competenze competência compiti compito completa completo componenti composant composé compra comprar
comprend comprendre compris compromis compromiso compromisso compte compter computador compétence comum
comune comuni comunque común conceito concepto concernant concerne concetti concetto conciencia concludere
concorrência concorso concours concurso condicional condire conditionnel condizionale conducta conexão
conferencia conferma confiance confianza confiança confini confirmé conflicto conflit conflito conflitto
conforto confronti confronto congiuntivo congreso congresso congé conhece conhecer conhecida conhecido
conheço conjugaison conjunto conmigo connais connaissance connaît connaître connu conocer conocida conocido
conoscenza conoscenze conoscere conosciuto conosco conquista consecuencia consegna consegue conseguenza
conseguenze conseguir conseguiu conseil consejo conselho consequência considerado considerato consigli
consiglio consigna consigne consigo construir consulta consumo conséquence conta contacto contador contar
contato contatti contatto conte contenido contenu contenuti contenuto contesto contexte contexto conteúdo
conti contigo continua continuar continuare continuer conto contorni contorno contra contrainte contraire
contrario contraseña contraste contrasto contrat contrato contratto contre contro controle controllo
contrário contrôle contudo conversa conversar convidado copa copia copie copla coppia cor coraggio corazón
cordiali coro corpo correcto corrente correo correto corretto corrigé corsa corso corta corte cortesía corto
cosa cose cosi costas coste costi costo così cotidiano cou coucher couleur coupe couplet cour courant
courriel cozinha coût crear creare creato credere credito credo creencia creer crescita criado criança criar
criatura crimen crise crisi cristo criteri criterio critica critiche critère critério croire crois cru crème
crédito créer créé crítica cuadro cual cualquier cualquiera cuando cuanto cuarto cuatro cuba cucina cuello
cuenta cuento cuerpo cuesta cuestión cui cuidado cuisses cul culinária culo culpa cultura culturale cumplir
cuore cura curitiba curso custo cuya cuyo cuál cuándo cuánto cálculo cámara cáncer cárcel câmara céu código
cómo côte côté cœur dado dagli dalla dalle dallo dando danni danno dans daqui dar das dati dato davanti
davvero daño debajo debe deber debido debito debolezza debolezze decir deciso decreto dedans defecto defeito
defensa defesa degli dehors dei deixa deixar deixe deixou deja dejado dejar dejo dela delante dele delito
delle dello delà demain demais demanda demande demander demandé demasiado demi democracia demás denominador
denominatore dentro depois deporte depuis deputado derecha derecho dernier dernière derrière derrota desafio
desafío desarrollo desayuno descanso descasque descoberta desconto descuento desculpa desde desejo
desempenho desenho deseo deserto desfecho desiderio desierto despedida despesa después dessa desse dessin
dessus desta destaque deste destinataire destinatario destinatário destino destra desventaja detalhe detalle
detrás dettagli dettaglio dette detto deu deuda deus deux deuxième devait devant deve devem devenir devenu
dever deveria devido devient devo devoir devono devrait dez dezembro dia diagnosi diagnóstico dialoghi
dialogo diametro diamètre diante diario dibattito dibujo dica diccionario dicembre dicendo dicha dicho dici
diciembre dico dicono dictée dieci dieta dietro diez diferencia diferente diferença difesa difetti difetto
differente differenza differenze difficile difficulté différence différentes différents dificultad difícil
dije dimanche dinamica dinero dinheiro dio dios dipendenze dir dirait dire directeur directo direita direito
diretor diretta direttore diritti diritto dis disastro disciplina discorso discours disculpa discurso
disegno disent diseño disponível disse disso distancia distanza distinti distrito distância dit ditta
diventa diventare divers diversas diversi diverso dix diz dizem dizendo dizer diálogo diámetro diário
diâmetro dobbiamo doble doces doença dois doit doivent dolce dolci dollari dolor dolore domaine domanda
domande domani domenica domicilio domingo dommage donc donde donne donner donné donnée dont dopo dor dorado
dorato dormir dort dos dosage dosagem dosaggio dosi dossier dote douleur dourado doute dove dovere doveva
dovrebbe dovrebbero dovuto doy droga droit droite drôle duas dubbi dubbio duda dunque dur dura durant
durante durata duro durée dès débat début débutant décembre décidé décor découverte découvrir défaut défense
défi déjeuner déjà délai dénominateur départ dépenses désavantage désormais détail día dîner dólares dónde
dúvida eau eccellente eccetto ecco eco economia economica economico economía económica económico ecuador
edad edificio edição efecto efeito effet effetti effetto efficacia eficacia eficácia egli egregi ejecutivo
ejemplo ejercicio ejército elas ele elegir elenco eles ellas ello embargo embora emoção empezar empleo
emploi emprego empresa en encima encontra encontrado encontrar encontro encore encuentro ende endereço
endroit enemigo energia energie energía enero enfance enfant enfermagem enfin enfoque enigma enjeu enjeux
enlace ennemi enorme enquanto enquête enredo ensaio ensalada ensayo enseñanza ensino ensuite entanto
entender entendre entendu entonces entorno entra entrada entrambi entrar entrare entrata entrate entre
entrega entreprise entretanto entrevista entro entrou entrée então envers envie environ envoyer envío
epilogo epoca eppure epílogo equilibrio equilíbrio equipaje equipe equipo eram erano ero eroe eroi eroina
errado errato erreur erro errore errori esame esas escala escale escena escenario escola escolha escolher
escopo escrever escreveu escribir escrita escrito escritor escritura escritório escuchar escuela ese esempi
esempio esencia esercizi esercizio esforço esfuerzo esigenza esigenze esiste esistono esito eso esordio esos
espace espacio espagne espalda espanha espaço españa español española especial especialista especie
espectáculo espera esperando esperança esperar esperienza esperienze espero esperti esperto espoir esporte
esposa esprit espèce espère espécie espírito espíritu esquema esquerda essa essai essayer esse essendo
essentiel essenza essenziale essere essência estadia estado estadounidense estadual estadísticas estamos
estancia estar estas estatal estatus estatísticas estava estavam este esteja esterno esteve estilo estiver
esto estou estrada estranho estrategia estratto estratégia estrela estribillo estrofa estrofe estructura
estrutura estudiar estudio estudo está estão et etapa etica etichetta etiqueta età europa europea européenne
eux eventi evento eventuale evidencia evidenza evidência evitar evitare exacto exame examen exato excelente
excepto excusa exemplar exemple exemplo exercice exercício exigências existe existem existencia experiencia
experiência experto explicar explique expliquer expérience extrait extranjero extraño extérieur exército
fabbrica faccia facciamo faccio facendo faceva facile facoltativo facultad fai faible faiblesse faire fais
faisait faisant fait faite fala falando falar falha falla fallait fallos falou falso falta fama famiglia
famiglie familia familier famille família fanno fantasia fantasía faq farina farine farinha farlo farmi
farsi farà fase fasi fasse fato fator fatta fatti fatto fattore fattori faut faute faux favola favore
favorito faz fazem fazendo fazer faça faço façon febbraio febre febrero fece fecha fede feira feita feitiço
feito feliz femenino feminino femmes femminile fenomeno fenómeno fenômeno fer fera feriado ferie ferme
ferramenta ferva fesses festa feu fevereiro fez fiaba fiato fica ficar ficha fiche fico ficou fiducia fiebre
fiel fiesta figli figlia figlio figura fil fila filha filho fille filme filosofia filosofía fils filtro fim
fin finais finché finestra fini finir finire finito fino fiore fiori fiquei firenze firma fisica fiume fiz
fizeram fleurs flores floresta foco foglio fogo foi fois folga fome fondo fonte fonti fora foram forfait
forma formaggio formale formar formati formato forme formel formule forno foro forse fortaleza forte fortuna
forza forze força fosse fossero foto fotografia fou fra fracaso fracasso frais francese francia francés
francês frança français française fraqueza frase frasi fratello fração frecuencia freddo frente frequenza
frete frio froid fromage fronte frontera fruta frutos frutta frère fréquence frío fuego fuente fuera fuerte
fuerza fuga fui fundo funziona função fuoco fuori furono fut futebol futur futuro fábula fácil féminin
férias février fête fíjate física fórmula fútbol gafas gagnant gagner gagné gamba gambe gana ganado ganador
ganancia ganar ganhador ganhar ganho ganhou gara garantia garantie garantía garanzia garde garder garniture
garota gars gasto gato gatto gauche gaz generale genere generi genial genitori gennaio genou genova gens
gente gentili genève geografia geografía geral germania gerundio gerúndio geste gestione gestión gesto
gestão giallo giappone giardino ginocchio giocare giocatore giocatori giochi gioco gioia giornale giornata
giornate giorni giorno giovane giovani giovedì giro girone giudizi giudizio giugno giusta giustizia giusto
già gli globo glosario glossaire glossario glossário glucides glutei glúteos gobernador gobierno golpe
gordura gorjeta gosta gostaria gosto governador governo goût goûter gracias gradi grado grafica grammaire
grammatica gramática gran grande grandi grasa grassi gratis grau grazie graças grigio gris gros grosse
groupe grupo gruppi gruppo gráfico grátis grâce guadagno guarda guardare guardaroba guerra guerre guia guida
gusti gusto guía género général générale gérondif haber habitants habitude habla hablante hablar hacia
hambre handicap harina hasta haut haute hauteur havia hechizo hecho herbes herida hermana hermano hermosa
heroína herramienta herói heure heureux hier hierbas hierve higiene hija hijo hipótese hipótesis histoire
historia historique história histórico hiver hogar hoja hoje hombro homem homenaje homens hommes honneur
honnêteté hora horaire horario hornea horno hors horário hospedagem hotéis houve hoy huevo huile huit humain
humana humano humeur humour hygiène hypothèse hábitat hábito héroe héros héroïne hôpital hôtel ici idade
ideali idee ideia idioma idée ieri igiene iglesia igreja igual ilha ils imagem imagen imagina imaginez
immagina immagine immagini impacto imparfait impasto impatto impegno imperativo imperfecto imperfeito
imperfetto importa importancia importante importanti importanza importe importância impossibile impossível
imposta impostos imprensa imprevisto improviso imprévu impuesto impératif imágenes incantesimo incipit
incluindo incluso incontro inconveniente inconvenienti increíble incrível indefinido independencia
independente independiente indice indietro indirizzo indizi indizio indo industria industrie indústria
infancia infanzia infatti infine infinitif infinitivo infinito influencia influenza influência informale
informe informel inforna infância inghilterra inglaterra inglese inglés inglês ingrediente ingredienti
ingresso ingrédient iniciante iniciativa inicio inimigo inizia iniziare iniziativa iniziato inizio
innanzitutto inoltre inquietud insalata insegnante insieme insomma instinto instituto inteiro inteligencia
inteligente inteligência intentar intento interdit interesante intereses interessante interesse interessi
intermedio intermediário intermédiaire internacional internationale internazionale interno intervento
intervista interés intorno intreccio intriga intrigue intérieur intérêt invece inventar inventario
inventário inverno invierno invitados invitati invito início ipotesi iria irmã irmão ironia ironie ironía
irá isla isola isso isto italia italiana italiane italiani italiano italie italien itens itinerario
itinerário itinéraire itália izquierda jamais jambe jamás janeiro jantar janvier japon japão japón jardim
jardin jardín jaune jefe jeito jeu jeudi jeune jeux joelho jogador jogar jogo joie jornada jornal joue jouer
joueur jour journée joué jovem joven juego jueves juez jugador jugar juge juicio juillet juin julho julio
junho junio junta junto juste justicia justificativa justiça juventud juventude juízo kilométrage laboral
lado laisse laisser laissez lait lanche langage langue laquelle laranja larga largeur larghezza largo
largura lascia lasciare lasciato latin latina lato latte lavorare lavoratori lavori lavoro leche lecteur
lector lectura leer lega legenda legge leggenda leggere leggi leis leite leitor leitura lejos lema lembra
lembranças lembrar lembre lembro lenda lengua lenguaje lentidão lequel ler lessico leste letra lettera
letteratura lettere letto lettore lettre lettura letture leur leva levar leve levou ley leyenda leçon lhe
lhes liaison libertad liberté libre libri libro licencia licenza licença lidar lien lieu lieux liga ligne
ligue lille lima limite limiti limpeza limpieza lindo linea linee lingua linguagem linguaggio lingue linha
lipides lire lisboa lista listado liste listo literatura litigio littéraire littérature livello livraison
livre livro lixo lição llama llamada llamado llamar llave llega llegada llegado llegar llena lleno lleva
llevar lluvia locais locale locali loco locura logica logiciel logique logistica lograr logro logística loi
loin lois loisir loja longa longe longitud longo longtemps longue longueur lontano loro lors lorsque loyer
lua luce lucha luci lucro luego lugar luglio lui lula lumière lundi lune lunedì lunga lunghezza lungo luoghi
luogo luta lutte lyon lámina lápis légende légumes líder límite línea língua lógica macchina madera magari
magasin magazzino maggio maggior maggioranza maggiore maggiori magia mai maintenant maio maior maioria mais
maison mala malade maladie maleta malgré malo mancanza manche mancia mandato mando maneira manera manger
mangiare manhã mani maniera manière mano manque manteiga mantener mantequilla manter mapa mappa marca marcha
marche marché mardi mare margen mariage marido marinade marinatura marito marque marrom marron marrone
marrón marseille martedì martes marzo março mas masa maschera maschile mascota masculin masculino massa
matar matematica matemática materia materiais materiale materiali materie matin matière matrimonio mattina
matéria matériaux matériel mauvais mauvaise mayo mayoría maître mañana mec meccanica mecánica mecânica
medianoche mediante medicina medico medida medio mediodía medo meglio meia meilleur meilleure meio mejor
mejora mejorar melhor melhora melhoria membre membri membro memoria memória menace menina meno menor
mensagem mensaje mente mentira mentre menudo mer mercado mercato merci mercoledì mercredi merda merde
merenda merienda merito mes mesa mescola mese mesi mesma mesmo messa messaggi messaggio messo mesure metade
metafora meteo metodi metodo metri metros mettere mettre metà metáfora meu meuble meus mezcla mezclar
mezzanotte mezzi mezzo mezzogiorno midi miedo miei miembro mientras mierda mieux miglior migliore migliori
mil milagro milano milhões milieu milioni militaire militar militare mim minacce minaccia minha minimo
ministerio ministero ministre ministro ministère ministério minore minuit minuti minuto mirada mirar mis
mise misión misma mismo missão misterio misterioso mistero misture mistério misura misure mit mitad mito
miércoles moda modelli modello modelo moderador moderatore modifica modifiche modo modèle moeda moglie moi
moins mois moitié molho mollets molte molti molto mon monde mondiale mondo moneda moneta monnaie montage
montagem montaggio montagna montagne montaje montanha montant montaña monte montre montrer montréal moradia
morado morale morir morire morrer morreu mort morte morti morto mostra mostrar mostro mot moteur motif
motivi motivo motore mots moyen moyenne moçambique mucha mucho mudança mudar mudou muerte muerto muestra
muita muito mulher multa mundial mundo municipio município muro musei museo museu musica musique musée muy
mystère mythe máquina más máximo mão mãos mètres méchant médecin média médico médio mémoire métaphore
méthode métier método météo méxico même mês mía mínimo mío módulo móvil música nacional nación nada nadie
naissance nantes napoli naranja nariz nas nascita naso natal nationale natura naturale naturaleza natureza
nazionale nação neanche necesario necessario necessário negativo negli negocio negozi negozio negra negro
negócio nei nelle nem nemici nemico nemmeno nenhum nenhuma nero nessa nesse nessun nessuna nessuno nesta
neste neuf neve niebla niente nieve ninguna ninguno ninguém ningún niveau niveaux nivel niña niño noche noi
noir noite nom nombre nombreuses nombreux nome nomi noms nonno nonostante nord normale normas norte nos
nosotros nossa nosso nostra nostre nostri nostro nota noter notez noticia notizia notizie noto notre notte
notícia nourriture nous nouveau nouveautés nouveaux nouvel nouvelle novas nove novela novembre novembro
novia noviembre novità novo nuance nubes nudo nuestra nuestro nueva nueve nuevo nuit nulla num numa
numerador numeratore numeri numero numerosi numérateur numéro nunca nuova nuove nuovi nuovo nuvole não
néanmoins nécessaire négatif níveis nível nós número obbligo obiettivi obiettivo objectif objet objetivo
objeto obligatoire obra obrigada obrigado observa obstante obstáculo obtener obtenir ocasião occhi occhio
oceano ocho ocio octobre octubre ocurrencia océano odio odore oeste oferta offerta offerte offre oficial
oficina oficio oggetti oggetto oggi ogni ognuno oi oignon oito ojalá ojo ojos olhar olho olio olor oltre
ombra ombro onde onore ont ontem opción opere opinione opinioni opinião opinión opiniões opposant opposto
oppure opção opções ora orari orario oração ordem orden ordenador ordinateur ordine ordini ordre orgoglio
orgullo origem origen originale origine origini ormai oro oroscopo orthographe ortografia ortografía
orígenes ospite ospiti osserva ossia ostacoli ostacolo otoño otra otro ottenere ottimo ottobre ouais oublier
oublié ouest oui ouro outil outono outra outre outubro ouvert ouverture ouvinte ouvir ouvrir ovest ovo ovos
ovvero où paciencia paciência padrão paesaggio paese paesi pagar pagare pagina pagine pago paio pais
paisagem paisaje paix paixão palabra palacio palavra palazzo palermo palpite pane panela panne panorama
pantalla papel papier papá papéis paquete para parabéns parada paragone paragrafo paragraphe parametri
parametro paramètre parar parc parce parceiro parcheggio parco parcours pare parece parecer parede pareil
pareja parere parfait parfois parla parlando parlare parlato parle parler parlé parmi parola parque partage
parte partecipanti partenaire partenza parti participantes participar participe participio particolare
particulier particípio partida partido partie partir partire partita partito partout parágrafo parámetro
parâmetro parís pas pasa pasado pasaje pasar pasatiempos pase pasión paso passa passado passagem passaggi
passaggio passando passar passare passatempi passatempos passato passe passeggiata passeio passer passi
passo passou passé pasti pasto patria patrimonio patrón paura paure pausa pauvre payer paysage pazienza país
peau pecado peccato pecho pectoraux pedido pedir pediu pegar peggio peine peinture peito pela pele pelea
peligro pelle pelo película pena penal pendant pensa pensando pensar pensare pensato pense pensei penser
pensi pensieri pensiero penso pensée peor pepe pequena pequeno pequeña pequeño perché perda perdant perdedor
perdente perder perdere perdeu perdido perdita perdono perdre perdu perdón perfecto perfeito perfetto perfil
pergunta pericoli pericolo perigo perimetro periodista periodo permessi permesso permet permettre permis
permiso permite perna pero perro perso persona personagem personagens personaggi personaggio personaje
personale persone personnage personne perspectiva pertanto perto perímetro período però perú pesadelo
pesadilla pesar pesce pescoço peso pesquisa pessoa pessoal petit petite petto peu peuple peur peut peuvent
peux pez pezzo peça philosophie physique piace piacere piada pianeta piani pianta piante piatti piatto
piazza piccola piccoli piccolo pied piede piedi piedra piel piena pieno pienso pierna pietra pimenta
pimienta pioggia pior pire piso pista piuttosto pièce piège più placar placer plage plaisir planeta plano
planta plante plat plata plataforma plato playa plazo plein pleine plupart plurale pluriel plusieurs plutôt
pobre pobreza poca poche pochi poco pode podem podemos poder poderia podia poema poesia poesie poesía poi
poiché poids pois poisson poivre policial policía politesse politica politiche politici politico politique
polizia polémica polícia política político pomeriggio poner pont ponte ponto popolare popolo por porque
porra porta portanto portare portata portato porte porto portuguesa português portée porção porém posdata
poser positif positivo possa possiamo possibile posso possono possui possível poste posti posto postre
postura potenza poter potere poteri potete poteva potrebbe potrebbero potrà potuto pouco pourboire pourquoi
pourra pourrait pourtant pouvait pouvez pouvoir povo poème praia pranzo pratica pratique prato prazer prazo
praça precedente precedenti precio precisa precisam precisamos preciso preconceito predicado predicato
preferito prefisso prefácio preghiera pregi pregiudizio prego pregunta prejuicio premessa premi premio
première prend prende prendere prendre prensa preparativi preparativos preparo prerequisiti presa presencia
presenta presentar presente presenti presenza presença presidencia preso presque presse presso presto
presupuesto preto pretérito preuve previa prezzi prezzo preço prima primavera primeira primeiro primer
primera primero primi primo principais principale principali principe principi principiante principianti
principio princípio printemps pris prise prisão privada privado privé prix problema problemi problème
problématique procedura proceso processi processo processus prochain prochaine proche procura procès
procédure prodotti prodotto producteur producto produit produto produttore profesional professeur
professores profil profilo profissional progetti progetto programa programma programmi progreso progresso
progrès projet projeto prologo prologue promedio promemoria promesa promessa promesse pronom pronombre
pronome pronto pronuncia pronóstico pronúncia propia propina propio propos proposito proposta proposte
propre propri propria proprie proprio propuesta propósito prossima prossimi prossimo protagonista
protagoniste proteina proteine proteína protéines prova provare provato proveedor proverbe proverbio
provincia provérbio proyecto prueba práctica prática près pré préface prénom prérequis présence présent
présente prêmio prêt prólogo própria próprio prós próxima próximo pubblica pubblicato pubblici pubblico
publicado publique publié pueblo puente puerta puerto pues puesto puis puisque puissance puisse pulso
punteggio punti punto puoi pur purtroppo puta putain può página párrafo pâte pão pérdida périmètre période
pública público qua quadro quais qual qualche qualcosa qualcuno quale quali qualquer qualsiasi qualunque
quand quando quant quanti quanto quarta quartier quartiere quarto quase quasi quatre quatro quattro que
quebra queda quedar quei queijo quel quella quelle quelli quello quelque quem quer querem queremos querer
queria quero queso questa queste questi questione questioni questo questão questões quien quiero
quilometragem quindi quinta quinto quis quiser quizá quién quoi quotidiano quotient québec quête rabbia
raccolta racconto ragazza ragazze ragazzi ragazzo raggio raggiungere ragione ragioni raio raison raiva raiz
rang rapide rappel rappelez rappelle rapport rapporti rapporto rappresenta rareza rarità raro rasgo rato
ratón rayon razones razza razão razón razões raça reais reale realizado realizar realtà reação receber
recebeu receita receta recette rechazo recheio recherche recibir recife recién recompensa recordar
recordatorio recuerda recuerde recuerden recuerdo recupero recurso rede redémarrage referencia referência
reflexión reflexão reflexões reforma refresco refrán refrão regali regalo regarde regarder regione regioni
regista registre registro região región regiões regla regno regola regole regra regreso reino reis relato
relatório relecture religione religião religión relleno reloj relógio remarque remedio remède remédio
rencontre rend rende rendere rendez rendre rendu renta repare repas repaso reportaje repouso représente
repubblica república requisiti requisito resa reserva residenza residuo resistencia resistenza resistência
reso resolver respecto respeito respeto respiro responsabile responsável resposta respuesta ressources resta
restaurante reste rester resto resulta resultado resumen resumindo resumo resúmenes retard rete retenez
retenir reti retirada reto retour retrouve retrouver reunião reunión revenir revient revista reçu riassunto
rica ricarica ricchezza ricerca ricetta ricette ricevuto richesse richiesta richieste ricompensa ricompense
ricorda ricordati ricordi ricordo riepilogo riesce riesco riesgo riforma riguarda riguardo rima rimane rime
rimedi rimedio rinde rinfresco rio ripasso ripieno riposo riqueza rischi rischio risco riso risorsa risorse
rispetto rispondere risposta risposte risque ristorante ristoranti risultati risultato ritardo ritmo
ritornello ritorno ritratto rituel riunione riz roba rodilla rojo rol roma ropa rosado rosso rosto rostro
roteiro rotina rouge roupa roxo royaume rua rue ruim ruoli ruolo rusia russe russie rutina rythme rádio
rápido règle récit récompense réflexion référence régime régimen région répondre réponse république réseau
réseaux résistance résultat résumé réunion réussi réussite rêve río rôle rússia sabato sabbia sabe sabedoria
sabem saber sabia sabiduría sable sabor sabías sac sacar sacco sache sagesse saggezza sai saiba sair sais
saison saiu sal sala salada salade salaire salario saldo salida salir salle salsa salse salud saludo salute
saluti saluto salvo salário samedi sangre sangue sanno sans santo santé sapere sapevi sapore sapori saranno
sarebbe sarebbero sarà sauf savoir saída saúde sbagliato sbatti sbuccia scadenza scala scegliere scelta
scelte scelto scena scheda scherzo schiena scienza sconto scoperta scoperto scopi scopo scorciatoia scorso
scritto scrittore scrittura scrive scrivere scuola scuole scusa scène scénario secoli secolo seconda seconde
secondi secondo secretario secreto secteur secuencia sede segni segno segredo segreti segreto segue seguente
seguida seguinte seguir seguire seguito segunda segundo segura segurança seguro sei seigneur sein seine seis
seja sejam sel sello selon sem semaine semana semble sembra semelhança semestre semplice sempre sendo senha
sens sensi senso sente sentença sentido sentir sentire sentito sento senza sept septembre septiembre
sequenza sequência ser sera serait serem seria serie serio seront sert serveur servi servicio servidor
servir servizi servizio serviço será serão ses sesión sesso sessão sete setembro sette settembre settimana
settimane settore seu seul seule seus sevilla sexo sexta seção seções señal sfida sfide sfondo sia siamo
siano sicurezza sicuro sido siempre siesta siete siglo significa significado significati significato signo
siguiente silencio silenzio silêncio simboli simbolo simile simili similitud simpatia sinais sinal sindaco
singolare singulier sinistra sino sinon sinonimi sinonimo sinopse sinopsis sintesi sinto sintoma sintomi
sintomo sinónimo sinônimo siquiera sirva sirve sistema siti sitio sito siècle sob sobre sobremesa sobrenome
sociais sociale sociali sociaux société soggetto sogni sogno soi soient soins soir soirée soit sola soldi
soleil soli solidão solito soltanto som soma sombra somma sommaire sommario somme sommeil somos sondage
sonho sonido sonne sonno sono sont sopa soporte sopra soprattutto sorpresa sorte sorti sortie sortir sos
sospetto sostituisci sotto sottotitolo sottotono souhait souhaite soupe sous soutenu soutien souvenir
souvent sozinho spagna spalla spalle spazio speciale specie spectacle spero spesa spese spesso spettacolo
spiaggia spuntino squadra squadre sta stade stagione stagioni stai stampa stanno stasera stata stati
statistica statistiche stato statut stava stelle stessa stesse stessi stesso stiamo stile stili sto storia
storico storie strada strade strasbourg strategia strategie stratégie strofa struttura studente studenti
studi sua suas subir subito subjonctif subjuntivo substantivo substitua subtítulo succede successo succès
suceso sucesso sucre sud sueldo suelo suerte sueño suffit suficiente sugerencia sugestão sugestões sugli
sugo suis suisse suivant suivi suivre sujeito sujet sujeto sul sulla sulle suma suo suoi suoni suono
superficie superfície superiore superpotere supporto supuesto sur surpresa surtout sus suspeito sustantivo
sustituto sustituye sviluppo svizzera svolta symbole sympathie symptôme synonyme synthèse système sábado são
séance século série sérieux sério sì sí símbolo síntese síntesis síntoma sólo sûr tabela tabella tabelle
tabla tableau taglia taglio taille tais tal talento talla talvez tamanho tamaño también também tampoco
tandis tant tante tanti tanto tard tarde tardi tarea tarefa tarif tarifa tariffe tarjeta tarte tassa taux
tavola tavolo teatro tecnica tecniche tejido telefone telefono telle tels teléfono tem tema temi temos
temperatura tempero tempi temporada temporale temps tendance tendencia tendenza tendenze tendo tendência
tener tenere tenha tenham tenia tenir tensão tentando tentar tenue teorema teoria teoría ter terapia
terceira terceiro tercer tercera tercero teria terme terminar termine termini termo terra terre terreno
territoire territorio território terza terzo terá terça tes tese tesi tesoro tesouro testa teste testemunha
testi testigo testimone testo teu teve texte texto thème thèse thématique théorie théorème théâtre tiempo
tienda tiens tient tierra tinha tinham tinta tipi tipo tirada tirar titoli titolo titre tive tiver tiveram
tivesse toca toda todavía toi toile tomar tombe tomber tome tono torino torna tornar tornare tornou torta
totale touche toujours toulouse tournée tous tout toute toutefois tra trabajar trabajo trabalhar trabalho
traccia tradicional traffico tragitto trait traje trajeto trama tramite trampa tranne tranquilo transporte
trapassato trappola tras trasporti trasporto trata tratado tratar trato tratta travail travaille travailler
travaux travers través traz trazer tre treino trem tren treno tres tribunale tricipiti triste tristeza
tristezza troca trofeo troféu trois troisième trop troppo trouve trouver trouvé trova trovano trovare
trovato trucchi trucco truco trucs tráfego tráfico trámite trás très trésor três tríceps tua tudo tuo tuoi
turma turno tus tutta tuttavia tutte tutti tutto tuyo tâche tão técnica técnico téléphone témoin término têm
tête título tôt uccelli ufficiale ufficio uguale ultima ultimi ultimo umano umas umore un une unica unico
unidad unidos uniforme unis uniti unità unité univers universo união unión uno uns uomini uova urgence
urgente usado usando usar usare usato uscire uscita uscite usi uso usos usted ustensiles usuario usuário
utensili utensilios utensílios utente utenti utile utilisateur utiliser utilisé utilizar utilizzo vacances
vacanza vacanze vado vai vainqueur vais vale valencia valeur valiente valor valore valori valuta vamos vanno
vantagem vantagens vantaggi vantaggio vapor vari variabile variabili variante varie vario variáveis variável
variété vas vaut vaya vecchio vede vedere vedette vedi vediamo vedo vegetais vegetales vehículo veicolo veio
veja vejo velho vem vencedor venda vendedor vendeur vendita vendite vendo vendre vendredi venerdì venezia
venezuela venga vengono venir venire venne venta ventaja ventana vente vento ventre venu ver verano verbe
verbi verbo verdad verdadeiro verdadera verdadero verde verdura verdure veredicto veredito vergogna vergonha
vergüenza verità vermelho vero verrà vers versi verso versão vert verão vestido vestimenta vestiti vestuario
vestuário veulent veut veux vez veículo viagem viagens viaggi viaggio viaje viande vicenda vicino victime
victoire vida vide vidéo vie vieja viejo viene viennent viens vient viento vier viernes vieux vigilia vila
villaggio villano ville vilão vin vinagre vinaigre vincitore vingt vinho vino vinto violencia violenza
violência vir virtud virtude virtù vis visage visita visite visión vista visto visão vit vita vitamina
vitamine vite vitesse vittima viu viva vive viver vivere vivienda vivir vivo vivre vizinho vizio vocabolo
vocabulaire vocabulario vocabulário voce voci você voglia vogliamo voglio vogliono voi voici voie voilà voir
vois voisin voit voiture voix volete voleva volevo volo volonté volta voltar volte voltou volumen voluntad
voluto volver vont vontade voo vorrei vos vostra vostro votar voti voto votre vou voulais voulait voulez
vouloir voulu vous voz vrai vraie vuelo vuelta vuoi vuol vuole várias vários vão vérité vía vício víctima
vídeo vínculo vítima yeux zona zucchero áfrica água ámbito ángulo ánimo área ásia âge ângulo ânimo échange
échéance éclairage école économie économique écoute écouter écran écrire écrit écriture église élève énergie
énigme épaule épices épilogue épisode época époque équilibre équipe étaient étais était étant étape état
ética étoile étranger étude étudiants été éviter éxito êtes être êxito ícone índice île óleo última último
única único útil œufs
"""

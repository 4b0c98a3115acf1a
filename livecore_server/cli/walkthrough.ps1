$GAME = @{ Authorization = "Bearer $env:LIVECORE_API_KEY" }
$STUDIO = @{ Authorization = "Bearer $env:LIVECORE_SERVER_KEY" }
$NOW = [DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds()
$ALICE = "alice-$NOW"
$BOB = "bob-$NOW"
function Ask($Method, $Path, $Headers, $Body) { $Sent = @{ Method = $Method; Uri = "$env:LIVECORE_BASE_URL$Path"; Headers = $Headers; UseBasicParsing = $true }; if ($Body) { $Sent.Body = ConvertTo-Json -Compress $Body; $Sent.ContentType = 'application/json' }; Invoke-RestMethod @Sent }
function Show($Answer) { ConvertTo-Json -Compress -Depth 20 $Answer }

'-- Two players register; each gets a secret.'
$SECRET = (Ask POST "/sdk/v1/players/$ALICE/register" $GAME).data.playerSecret
$AS_ALICE = $GAME + @{ 'X-Player-Secret' = $SECRET }
$SECRET = (Ask POST "/sdk/v1/players/$BOB/register" $GAME).data.playerSecret
$AS_BOB = $GAME + @{ 'X-Player-Secret' = $SECRET }

'-- Bob tells Alice his friend code. Alice asks, Bob accepts.'
$CODE = (Ask GET "/sdk/v1/players/$BOB/friends/code" $AS_BOB).data.friendCode
$REQUEST = (Ask POST "/sdk/v1/players/$ALICE/friends/requests" $AS_ALICE @{ friendCode = $CODE }).data.request.requestId
Show (Ask POST "/sdk/v1/players/$BOB/friends/requests/$REQUEST/accept" $AS_BOB)

'-- The studio gives Alice 100 gold. Alice sends Bob 25 of it.'
Show (Ask POST "/server/v1/players/$ALICE/wallet/gold/credit" $STUDIO @{ amount = 100; reason = 'welcome' })
$GIFT = (Ask POST "/sdk/v1/players/$ALICE/friends/gifts" $AS_ALICE @{ externalPlayerId = $BOB; type = 'currency'; resourceKey = 'gold'; amount = 25; message = 'For you' }).data.gift.giftId

'-- Bob claims it, and has 25 gold.'
Show (Ask POST "/sdk/v1/players/$BOB/friends/gifts/$GIFT/claim" $AS_BOB)
Show (Ask GET "/sdk/v1/players/$BOB/wallet" $AS_BOB)

'-- The daily dash is open. Alice and Bob enter it for 5 gold each.'
try { $STARTED = (Ask POST "/sdk/v1/players/$ALICE/events/daily-dash/start" $AS_ALICE).data.attempt } catch { $STARTED = $null; "$_" }
if ($STARTED) {
  $ALICES = $STARTED.attemptId
  $BOARD = $STARTED.leaderboardId
  $BOBS = (Ask POST "/sdk/v1/players/$BOB/events/daily-dash/start" $AS_BOB).data.attempt.attemptId
  '-- To follow their leaderboard live, in another window:'
  "curl.exe -N -H 'Authorization: Bearer $env:LIVECORE_API_KEY' $env:LIVECORE_BASE_URL/sdk/v1/event-leaderboards/$BOARD/stream"
  '-- Alice scores 120, and crosses a milestone.'
  Show (Ask POST "/sdk/v1/players/$ALICE/events/daily-dash/attempts/$ALICES/progress" $AS_ALICE @{ metrics = @{ points = 120 } })
  '-- Bob scores 300, and leads.'
  Show (Ask POST "/sdk/v1/players/$BOB/events/daily-dash/attempts/$BOBS/progress" $AS_BOB @{ metrics = @{ points = 300 } })
  Show (Ask GET "/sdk/v1/event-leaderboards/$BOARD" $GAME)
  '-- The studio ends the window early, as a test key may, and Bob has won 100 gold for the first rank.'
  Show (Ask POST "/server/v1/dev/events/daily-dash/end-now" $STUDIO)
  Show (Ask GET "/sdk/v1/players/$BOB/pending-grants" $AS_BOB)
} else {
  '-- It was ended today already; without the file livecore-dev.db everything begins anew.'
}

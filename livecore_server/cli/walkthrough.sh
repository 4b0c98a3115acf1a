GAME="Authorization: Bearer $LIVECORE_API_KEY"
STUDIO="Authorization: Bearer $LIVECORE_SERVER_KEY"
JSON='Content-Type: application/json'
ALICE="alice-$(date +%s%N)"
BOB="bob-$(date +%s%N)"
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

echo '-- Two players register; each gets a secret.'
SECRET=$(curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$ALICE/register" -H "$GAME" | field playerSecret)
AS_ALICE="X-Player-Secret: $SECRET"
SECRET=$(curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/register" -H "$GAME" | field playerSecret)
AS_BOB="X-Player-Secret: $SECRET"

echo '-- Bob tells Alice his friend code. Alice asks, Bob accepts.'
CODE=$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/friends/code" -H "$GAME" -H "$AS_BOB" | field friendCode)
REQUEST=$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$ALICE/friends/requests" -H "$GAME" -H "$AS_ALICE" -H "$JSON" -d "{\"friendCode\":\"$CODE\"}" | field requestId)
curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/friends/requests/$REQUEST/accept" -H "$GAME" -H "$AS_BOB"; echo

echo '-- The studio gives Alice 100 gold. Alice sends Bob 25 of it.'
curl -s "$LIVECORE_BASE_URL/server/v1/players/$ALICE/wallet/gold/credit" -H "$STUDIO" -H "$JSON" -d '{"amount":100,"reason":"welcome"}'; echo
GIFT=$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$ALICE/friends/gifts" -H "$GAME" -H "$AS_ALICE" -H "$JSON" -d "{\"externalPlayerId\":\"$BOB\",\"type\":\"currency\",\"resourceKey\":\"gold\",\"amount\":25,\"message\":\"For you\"}" | field giftId)

echo '-- Bob claims it, and has 25 gold.'
curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/friends/gifts/$GIFT/claim" -H "$GAME" -H "$AS_BOB"; echo
curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/wallet" -H "$GAME" -H "$AS_BOB"; echo

echo '-- The daily dash is open. Alice and Bob enter it for 5 gold each.'
START=$(curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$ALICE/events/daily-dash/start" -H "$GAME" -H "$AS_ALICE")
ALICES=$(echo "$START" | field attemptId)
BOARD=$(echo "$START" | field leaderboardId)
BOBS=$(curl -s -X POST "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/events/daily-dash/start" -H "$GAME" -H "$AS_BOB" | field attemptId)
if [ -z "$ALICES" ]; then
  echo "$START"
  echo '-- It was ended today already; without the file livecore-dev.db everything begins anew.'
else
  echo '-- Their leaderboard, live. To follow it in another terminal as well:'
  echo "curl -N -H '$GAME' $LIVECORE_BASE_URL/sdk/v1/event-leaderboards/$BOARD/stream"
  (curl -sN -H "$GAME" "$LIVECORE_BASE_URL/sdk/v1/event-leaderboards/$BOARD/stream" &)
  sleep 1
  echo '-- Alice scores 120, and crosses a milestone.'
  echo "$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$ALICE/events/daily-dash/attempts/$ALICES/progress" -H "$GAME" -H "$AS_ALICE" -H "$JSON" -d '{"metrics":{"points":120}}')"
  sleep 1
  echo '-- Bob scores 300, and leads.'
  echo "$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/events/daily-dash/attempts/$BOBS/progress" -H "$GAME" -H "$AS_BOB" -H "$JSON" -d '{"metrics":{"points":300}}')"
  sleep 1
  echo '-- The studio ends the window early, as a test key may, and Bob has won 100 gold for the first rank.'
  echo "$(curl -s -X POST "$LIVECORE_BASE_URL/server/v1/dev/events/daily-dash/end-now" -H "$STUDIO")"
  sleep 1
  echo "$(curl -s "$LIVECORE_BASE_URL/sdk/v1/players/$BOB/pending-grants" -H "$GAME" -H "$AS_BOB")"
fi

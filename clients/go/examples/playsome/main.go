// Playsome asks a server who it is, creates a match, takes both seats and plays some moves.
//
//	bin/playsome HOST:PORT
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	dragonhall "dragonhall/v1"
)

const moves = 12

// newToken makes a token: the only proof of who you are, so keep it.
func newToken() string {
	secret := make([]byte, 32)
	rand.Read(secret)
	return base64.RawURLEncoding.EncodeToString(secret)
}

// as returns a context whose calls are made by the holder of a token.
func as(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// create creates a public match and returns its id.
func create(ctx context.Context, client dragonhall.MatchServiceClient) (string, error) {
	edition := dragonhall.DragonheartEdition_DRAGONHEART_EDITION_STANDARD
	setup := &dragonhall.GameSetup{Game: &dragonhall.GameSetup_Dragonheart{
		Dragonheart: &dragonhall.DragonheartSetup{Edition: edition},
	}}
	created, err := client.CreateMatch(ctx, &dragonhall.CreateMatchRequest{
		RequestId: rand.Text(),
		Token:     newToken(),
		Options: &dragonhall.MatchOptions{
			Setup:      setup,
			Visibility: dragonhall.Visibility_VISIBILITY_PUBLIC,
		},
	})
	return created.GetMatch().GetMatchId(), err
}

// join takes the next open seat and returns its token.
func join(ctx context.Context, client dragonhall.MatchServiceClient, id string) (string, error) {
	token := newToken()
	_, err := client.JoinMatch(ctx, &dragonhall.JoinMatchRequest{
		MatchId: id, RequestId: rand.Text(), Token: token, PlayerName: "Go",
	})
	return token, err
}

// move plays the first legal move of the seat whose turn it is and returns its version.
func move(
	ctx context.Context, client dragonhall.MatchServiceClient, id string, tokens []string,
) (uint64, error) {
	now, err := client.GetMatch(ctx, &dragonhall.GetMatchRequest{MatchId: id})
	if err != nil {
		return 0, err
	}
	ctx = as(ctx, tokens[now.GetMatch().GetSeatToMove()])
	legal, err := client.ListLegalMoves(ctx, &dragonhall.ListLegalMovesRequest{MatchId: id})
	if err != nil {
		return 0, err
	}
	done, err := client.SubmitMove(ctx, &dragonhall.SubmitMoveRequest{
		MatchId:         id,
		RequestId:       rand.Text(),
		ExpectedVersion: legal.GetVersion(),
		Move:            legal.GetMoves()[0],
	})
	return done.GetVersion(), err
}

// play plays a new match for a while.
func play(ctx context.Context, client dragonhall.MatchServiceClient) error {
	id, err := create(ctx, client)
	if err != nil {
		return err
	}
	var tokens []string
	for range 2 {
		token, err := join(ctx, client, id)
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	var last uint64
	for i := range moves {
		version, err := move(ctx, client, id, tokens)
		if err != nil {
			return err
		}
		if i > 0 && version != last+1 {
			return fmt.Errorf("version %d came after %d", version, last)
		}
		last = version
	}
	fmt.Printf("%s: %d moves, version %d\n", id, moves, last)
	return nil
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("playsome HOST:PORT")
	}
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	channel, err := grpc.NewClient(os.Args[1], plain)
	if err != nil {
		log.Fatal(err)
	}
	defer channel.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	catalog := dragonhall.NewCatalogServiceClient(channel)
	info, err := catalog.GetServerInfo(ctx, &dragonhall.GetServerInfoRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("server", info.GetServerVersion())
	if err := play(ctx, dragonhall.NewMatchServiceClient(channel)); err != nil {
		log.Fatal(err)
	}
}

// The document of the wall: what a projector shows to the hall.
